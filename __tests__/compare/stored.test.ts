import { describe, expect, it } from '@jest/globals';
import { mean, sampleStandardDeviation } from 'simple-statistics';
import { judgeStored } from '../../src/compare/stored.ts';
import { whyOtherClasses } from '../../src/compare/stored-class.ts';
import { storedRowOf } from '../../src/compare/stored-row.ts';
import { type Row, rowSchema } from '../../src/verdict/verdict.ts';
import { chainedBaseline, HEADER } from '../baseline/samples.ts';
import { head, request, STEADY, stored, THROUGHPUT } from './stored-samples.ts';

const slow = (factor: number) => [head(100 * factor), head(100 * factor)];

describe('stored comparison', () => {
  it.each([
    ['equal', [head(100)], 'pass'],
    ['1 % slower, within the margin', [head(101)], 'pass'],
    ['20 % slower in two sessions', slow(1.2), 'regressed'],
    ['20 % slower in one session', [head(120)], 'inconclusive'],
    ['slower in one session, equal in the next', [head(120), head(100)], 'inconclusive'],
    ['at the margin', slow(1.03), 'inconclusive'],
    ['20 % faster', [head(80)], 'improved'],
    ['not measured', [], 'invalid'],
    ['a zero', [head(0)], 'invalid'],
  ] as const)('head %s is %s', (_name, sessions, status) => {
    expect(judgeStored(request({ head: [...sessions] })).status).toBe(status);
  });

  it('asks for a second session before a row turns red', () => {
    const once = judgeStored(request({ head: [head(120)] }));
    expect(once).toMatchObject({ role: 'gated', needsSecondSession: true, proven: null });
    expect(once.reason).toMatch(/a second session must confirm/);
    expect(judgeStored(request({ head: slow(1.2) }))).toMatchObject({ needsSecondSession: false, proven: 'worse' });
  });

  it('shows the prediction interval: t of K − 1 degrees of freedom, s √(1 + 1/K), both ends at 5 %', () => {
    const row = judgeStored(request({ head: [head(101)] }));
    const costs = STEADY.map(Math.log);
    // qt(0.95, 11) of R.
    const half = 1.795884818704 * sampleStandardDeviation(costs) * Math.sqrt(1 + 1 / 12);
    const delta = Math.log(101) - mean(costs);
    expect(row.change).toBeCloseTo(Math.expm1(delta), 10);
    expect(row.interval?.[0]).toBeCloseTo(Math.expm1(delta - half), 9);
    expect(row.interval?.[1]).toBeCloseTo(Math.expm1(delta + half), 9);
    expect(row.base).toBeCloseTo(100, 1);
    expect(row).toMatchObject({ head: 101, margin: 0.03, restarts: 6, unit: 'ms' });
  });

  it('turns signs with the direction that is better', () => {
    const sessions = STEADY.map((value, index) => stored(index, value, { metric: 'throughput' }));
    const worse = judgeStored(request({ metric: THROUGHPUT, sessions, head: [head(80), head(80)] }));
    expect(worse.status).toBe('regressed');
    expect(worse.change).toBeCloseTo(-0.2, 3);
    expect(worse.margin).toBe(-0.03);
    expect(worse.interval?.[1]).toBeLessThan(-0.18);
    expect(judgeStored(request({ metric: THROUGHPUT, sessions, head: [head(125)] })).status).toBe('improved');
  });

  it('judges identical values: any change beyond the margin is one, none is none (N14)', () => {
    const sessions = Array.from({ length: 30 }, (_, index) => stored(index, 100));
    expect(judgeStored(request({ sessions, head: slow(1.5) })).status).toBe('regressed');
    expect(judgeStored(request({ sessions, head: [head(100)] })).status).toBe('pass');
    expect(judgeStored(request({ sessions, head: slow(1.03) })).status).toBe('pass');
  });

  it('needs excess over the floor too', () => {
    const margin = { fraction: 0.03, floor: 50 };
    expect(judgeStored(request({ margin, head: slow(1.2) })).status).toBe('pass');
    expect(judgeStored(request({ margin, head: slow(1.8) })).status).toBe('regressed');
  });
});

describe('what stored sessions can carry', () => {
  it('is advisory below 10 sessions, whatever they show', () => {
    const sessions = STEADY.slice(0, 9).map((value, index) => stored(index, value));
    const row = judgeStored(request({ sessions, head: slow(1.5) }));
    expect(row).toMatchObject({ role: 'advisory', status: 'no-baseline' });
    expect(row.reason).toMatch(/^9 stored sessions of this host, 10 are needed/);
    expect(row.change).toBeCloseTo(0.5, 2);
  });

  it.each([0, 1])('has nothing to say with %i sessions', (count) => {
    const row = judgeStored(request({ sessions: [stored(0, 100)].slice(0, count) }));
    expect(row).toMatchObject({ role: 'advisory', status: 'no-baseline', change: null, interval: null });
  });

  it('says which margin it would need where the sessions spread too far for a set one', () => {
    const sessions = STEADY.map((value, index) => stored(index, 100 + 6 * (value - 100)));
    const row = judgeStored(request({ sessions, head: slow(1.5) }));
    expect(row).toMatchObject({ role: 'advisory', status: 'no-baseline' });
    expect(row.reason).toMatch(/^needs a margin of 9\.6 %: stored sessions spread by 1\.6 %, the margin is 3 %/);
  });

  it('lets a default margin grow to six times the spread, and says so', () => {
    const sessions = STEADY.map((value, index) => stored(index, 100 + 6 * (value - 100)));
    const row = judgeStored(request({ sessions, marginSource: 'default', head: [head(101)] }));
    expect(row).toMatchObject({ role: 'gated', status: 'pass' });
    expect(row.margin).toBeCloseTo(0.0959, 4);
    expect(row.warnings).toEqual([
      { code: 'stored-margin', text: expect.stringMatching(/allows 9\.6 % instead of 3 %/) },
    ]);
    expect(judgeStored(request({ marginSource: 'default' })).warnings).toEqual([]);
  });

  it('uses the spread between sessions, never the one within (Z10)', () => {
    const factors = [1, 1.2, 0.85, 1.1, 0.9, 1.15, 0.95, 1.05, 0.8, 1.25, 1, 0.9];
    const sessions = factors.map((factor, index) => stored(index, 100 * factor));
    expect(judgeStored(request({ sessions, head: slow(1.15) }))).toMatchObject({
      status: 'no-baseline',
      role: 'advisory',
    });
  });

  it('takes off the speed of the day by the reference workload', () => {
    const days = [1, 1.15, 0.9, 1.05, 1.1, 0.95, 1, 1.12, 0.97, 1.03, 0.92];
    const sessions = days.map((day, index) => stored(index, (STEADY[index] ?? 100) * day, { reference: day }));
    expect(judgeStored(request({ sessions, head: [head(115, 1.15)] })).status).toBe('pass');
    expect(judgeStored(request({ sessions, head: [head(115, 1), head(138, 1.2)] })).status).toBe('regressed');
    expect(judgeStored(request({ sessions, head: [head(115, 1.15)] })).base).toBeCloseTo(115, 0);
  });

  it('takes off accepted steps, so that a model that got faster is held to its new speed', () => {
    const values = STEADY.map((value, index) => (index < 6 ? value * 1.25 : value));
    const sessions = values.map((value, index) => stored(index, value, { step: index === 6 ? -Math.log(1.25) : 0 }));
    expect(judgeStored(request({ sessions, head: [head(100)] })).status).toBe('pass');
    expect(judgeStored(request({ sessions, head: slow(1.2) })).status).toBe('regressed');
  });

  it('drops what lies before a missing link', () => {
    const sessions = STEADY.map((value, index) => stored(index, value, { step: index === 4 ? null : 0 }));
    expect(judgeStored(request({ sessions })).reason).toMatch(/^8 stored sessions/);
  });
});

describe('sessions that are not like the others', () => {
  it('leaves out one outlier and lists it, newest or not (Z5)', () => {
    const values = [...STEADY.slice(0, 11), 51];
    const row = judgeStored(
      request({ sessions: values.map((value, index) => stored(index, value)), head: [head(100)] }),
    );
    expect(row.status).toBe('pass');
    expect(row.warnings).toEqual([{ code: 'stored-outliers', text: 'left out as outliers of latency.p50: s11' }]);
    expect(row.history?.leftOut.map((entry) => entry.session)).toEqual(['s11']);
  });

  it('leaves none out where more than one in five are far away', () => {
    const values = STEADY.map((value, index) => (index % 4 === 0 ? value * 1.3 : value));
    const row = judgeStored(request({ sessions: values.map((value, index) => stored(index, value)), head: slow(1.3) }));
    expect(row.history?.leftOut).toEqual([]);
    expect(row).toMatchObject({ role: 'advisory', status: 'no-baseline' });
  });

  it.each([
    ['half the sessions in the slow mode', [22.5, 25.5, 22.5, 25.4, 22.6, 25.5, 22.4, 25.6, 22.5, 25.5, 22.5, 25.5]],
    ['two of twelve in the slow mode', [22.5, 22.6, 22.4, 22.5, 25.5, 22.5, 22.6, 22.4, 22.5, 22.5, 25.5, 22.4]],
    ['a third in the slow mode', [22.5, 22.6, 25.5, 22.5, 22.4, 25.4, 22.6, 22.5, 25.6, 22.5, 22.4, 25.5]],
  ])('never fails a head in a mode that history knows: %s (Z1)', (_name, values) => {
    const sessions = values.map((value, index) => stored(index, value));
    for (const marginSource of ['config', 'default'] as const) {
      const row = judgeStored(request({ sessions, marginSource, head: [head(25.5), head(25.5)] }));
      expect(row.status).not.toBe('regressed');
    }
  });

  it('is not talked out of a fail by one slow session', () => {
    const sessions = [...STEADY.slice(0, 11), 140].map((value, index) => stored(index, value));
    expect(judgeStored(request({ sessions, head: slow(1.4) })).status).toBe('regressed');
  });

  it('never pools hosts without a reference workload (Z8)', () => {
    const sessions = STEADY.flatMap((value, index) => [
      stored(2 * index, value, { host: 'host-a', reference: null }),
      stored(2 * index + 1, value * 1.119, { host: 'host-b', reference: null }),
    ]);
    const drop = [head(119.3, null), head(119.3, null)];
    const row = judgeStored(request({ sessions, host: 'host-a', head: drop }));
    expect(row.status).toBe('regressed');
    expect(row.change).toBeCloseTo(0.193, 2);
    expect(row.history).toMatchObject({ hosts: 'same', scale: 'plain' });
    const stranger = judgeStored(request({ sessions, host: 'host-c', head: drop }));
    expect(stranger).toMatchObject({ role: 'advisory', status: 'no-baseline', change: null });
  });

  it('pools hosts by the reference workload only where one host has too few', () => {
    const sessions = STEADY.flatMap((value, index) => [
      stored(2 * index, value, { host: 'host-a' }),
      stored(2 * index + 1, value * 1.119, { host: 'host-b', reference: 1.119 }),
    ]);
    expect(judgeStored(request({ sessions, host: 'host-a' })).history).toMatchObject({ hosts: 'same' });
    const other = judgeStored(request({ sessions, host: 'host-c', head: [head(95, 0.95)] }));
    expect(other).toMatchObject({ status: 'pass' });
    expect(other.history).toMatchObject({ hosts: 'any', scale: 'ratio' });
  });

  it('names both workloads where they differ (S12)', () => {
    const row = judgeStored(request({ workload: 'w2' }));
    expect(row).toMatchObject({ status: 'incomparable', role: 'gated' });
    expect(row.reason).toMatch(/workload differs: stored sessions did w1, head does w2/);
  });

  it('names the facts in which another machine differs, with both values (Z7)', () => {
    const facts = { ...HEADER.facts, 'gpu.name': 'NVIDIA A10G', 'host.id': 'x' };
    expect(whyOtherClasses([chainedBaseline(1)], facts)).toBe(
      'the stored baseline is of another machine: gpu.name: "NVIDIA L4" against "NVIDIA A10G" (another machine class, not comparable)',
    );
    expect(whyOtherClasses([], facts)).toBeNull();
  });
});

it('becomes a row of a verdict', () => {
  const row: Row = storedRowOf('c', 'latency.p50', judgeStored(request({})));
  expect(rowSchema.parse(row)).toEqual(row);
  expect(row).toMatchObject({ case: 'c', comparison: 'stored', limit: null });
});
