import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { appendSessions, startEpoch } from '../../src/baseline/append-session.ts';
import { parseBaseline, serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import { chainSinceAnchor, currentSessions } from '../../src/baseline/chain.ts';
import { accepted, chainedBaseline, HEADER } from './samples.ts';

const CASE = 'ranker/cuda/b32/c1';
const link = (baseline: Baseline | null, at = -1) => baseline?.sessions.at(at)?.metrics['latency.p50']?.ratioToPrevious;

describe('appending a session', () => {
  it('gives the very object where the session is there already', () => {
    const baseline = chainedBaseline(3);
    expect(appendSessions(baseline, HEADER, [accepted({ session: 's1', value: 99 })])).toBe(baseline);
    expect(appendSessions(baseline, HEADER, [])).toBe(baseline);
  });

  it('keeps a session of each case', () => {
    const one = appendSessions(null, HEADER, [
      accepted({ session: 's', case: 'a' }),
      accepted({ session: 's', case: 'b' }),
    ]);
    expect(one?.sessions.map((entry) => entry.case)).toEqual(['a', 'b']);
  });

  it('has no ratio for the first, the paired ratio for the next, exactly 0 for equal bytes, runtime and options', () => {
    const first = appendSessions(null, HEADER, [accepted({ session: 's0', bytes: 'a' })]);
    expect(link(first)).toBeNull();
    const second = appendSessions(first, HEADER, [
      accepted({ session: 's1', bytes: 'b', base: 'a', step: 0.02, se: 0.003 }),
    ]);
    expect(link(second)).toEqual({ log: 0.02, se: 0.003 });
    const third = appendSessions(second, HEADER, [accepted({ session: 's2', bytes: 'b', base: 'a', step: 0.5 })]);
    expect(link(third)).toEqual({ log: 0, se: 0 });
  });

  it('takes off the links another writer stored since the base was chosen', () => {
    const base = appendSessions(null, HEADER, [accepted({ session: 's0', bytes: 'a' })]);
    const faster = appendSessions(base, HEADER, [
      accepted({ session: 's1', bytes: 'b', base: 'a', step: 0.02, se: 0.003 }),
    ]);
    const both = appendSessions(faster, HEADER, [
      accepted({ session: 's2', bytes: 'c', base: 'a', step: 0.05, se: 0.004 }),
    ]);
    expect(link(both)?.log).toBeCloseTo(0.03, 12);
    expect(link(both)?.se).toBeCloseTo(0.005, 12);
    expect(both && chainSinceAnchor(both, CASE, 'latency.p50').log).toBeCloseTo(0.05, 12);
  });

  it('says that a link is missing where the base was never stored', () => {
    const baseline = appendSessions(chainedBaseline(2), HEADER, [accepted({ session: 'x', base: 'unknown' })]);
    expect(link(baseline)).toBeNull();
    expect(baseline && chainSinceAnchor(baseline, CASE, 'latency.p50').broken).toBe(true);
  });
});

describe('compaction', () => {
  it('keeps 30 sessions and the anchor, and the chain since the anchor', () => {
    for (const sessions of [5, 31, 32, 45, 90]) {
      const baseline = chainedBaseline(sessions, 0.002);
      const chain = chainSinceAnchor(baseline, CASE, 'latency.p50');
      expect(baseline.sessions.length).toBe(Math.min(sessions, 31));
      expect(currentSessions(baseline, CASE)[0]?.session).toBe('s0');
      expect(baseline.folded.sessions + baseline.sessions.length).toBe(sessions);
      expect(chain.log).toBeCloseTo(0.002 * (sessions - 1), 9);
      expect(chain.se).toBeCloseTo(0.001 * Math.sqrt(sessions - 1), 9);
      expect(chain.df).toBeCloseTo(5 * (sessions - 1), 6);
      expect(chain.steps).toBe(sessions - 1);
      expect(parseBaseline(serialiseBaseline(baseline), 'x')).toEqual(baseline);
    }
  });

  it('bounds each case by itself', () => {
    let baseline: Baseline | null = null;
    for (let index = 0; index < 50; index++) {
      const both = [accepted({ session: `s${index}`, case: 'a' }), accepted({ session: `s${index}`, case: 'b' })];
      baseline = appendSessions(baseline, HEADER, index % 2 ? both : both.slice(0, 1));
    }
    expect(baseline?.sessions.filter((entry) => entry.case === 'a')).toHaveLength(31);
    expect(baseline?.sessions.filter((entry) => entry.case === 'b')).toHaveLength(25);
  });
});

describe('an accepted step', () => {
  it('starts an epoch: the chain begins anew and later sessions are measured from there (G14)', () => {
    const before = chainedBaseline(5, 0.01);
    const step = accepted({ session: 'big', base: 's4', step: Math.log(1.12), value: 4.48 });
    const after = startEpoch(before, HEADER, [step], 'embedding dim doubled');
    expect(after?.epochs).toEqual([
      { id: 1, anchor: 's0', reason: 'first baseline' },
      { id: 2, anchor: 'big', reason: 'embedding dim doubled' },
    ]);
    expect(after && chainSinceAnchor(after, CASE, 'latency.p50')).toMatchObject({ log: 0, steps: 0, broken: false });
    expect(startEpoch(after, HEADER, [step], 'again')).toBe(after);
    const next = appendSessions(after, HEADER, [accepted({ session: 'next', base: 'big', step: 0.004 })]);
    expect(next && chainSinceAnchor(next, CASE, 'latency.p50').log).toBeCloseTo(0.004, 12);
  });

  it('links a late writer of the old epoch across the accepted step', () => {
    const step = accepted({ session: 'big', base: 's1', step: 0.11 });
    const after = startEpoch(chainedBaseline(2), HEADER, [step], 'reason');
    const late = appendSessions(after, HEADER, [accepted({ session: 'late', base: 's1', step: 0.12 })]);
    expect(link(late)?.log).toBeCloseTo(0.01, 12);
  });

  it('can be the first session of a baseline', () => {
    const baseline = startEpoch(null, HEADER, [accepted({ session: 's' })], 'moved to new cards');
    expect(baseline?.epochs).toEqual([{ id: 1, anchor: 's', reason: 'moved to new cards' }]);
  });
});

it('no order of concurrent writers changes what the chain says about the newest bytes', () => {
  // Three sessions measured against the same base, stored in any order: log(newest / base) is what was measured.
  fc.assert(
    fc.property(fc.shuffledSubarray([0.01, 0.02, 0.03, -0.04], { minLength: 1 }), (steps) => {
      const base = appendSessions(null, HEADER, [accepted({ session: 'base' })]);
      const all = steps.reduce<Baseline | null>(
        (current, step) => appendSessions(current, HEADER, [accepted({ session: `s${step}`, base: 'base', step })]),
        base,
      );
      expect(all && chainSinceAnchor(all, CASE, 'latency.p50').log).toBeCloseTo(steps.at(-1) ?? 0, 12);
    }),
  );
});
