import { describe, expect, it } from '@jest/globals';
import { fileText, judgeCase, judgeTexts, restartsOf, rowOf } from './measurement-text.ts';

const ms = (value: number) => ({ value, unit: 'ms' as const });
const bytes = (value: number) => ({ value, unit: 'B' as const });

describe('limits on head itself', () => {
  const judgeP99 = (head: number, policy: object) =>
    judgeCase(
      { restarts: restartsOf('latency.p99', 10, 9) },
      { restarts: restartsOf('latency.p99', head, 9) },
      { metrics: { 'latency.p99': policy } },
    );

  it.each([
    [11.5, 'pass', 'pass'],
    [12.5, 'fail', 'regressed'],
    [12, 'no-verdict', 'inconclusive'],
  ])('judge a max of 12 ms on head alone: %d ms', (head, outcome, status) => {
    const verdict = judgeP99(head, { max: ms(12) });
    expect([verdict.outcome, rowOf(verdict, 'latency.p99').status]).toEqual([outcome, status]);
  });

  it('name the limit and the value, and the row keeps its limit', () => {
    const row = rowOf(judgeP99(12.5, { max: ms(12) }), 'latency.p99');
    expect(row.reason).toMatch(/^beyond the max of 12 ms: head is 12\.49 ms/);
    expect(row.limit).toEqual({ max: 12, min: null, maxIncrease: null });
  });

  it('do not let an advisory margin decide', () => {
    const verdict = judgeP99(11.8, { max: ms(12) });
    expect(rowOf(verdict, 'latency.p99')).toMatchObject({ role: 'gated', status: 'pass', proven: 'worse' });
  });

  it('judge a min', () => {
    const judged = (head: number) =>
      judgeCase(
        { restarts: restartsOf('throughput', 100, 9) },
        { restarts: restartsOf('throughput', head, 9) },
        { metrics: { throughput: { min: { value: 90, unit: '1/s' as const } } } },
      ).outcome;
    expect([judged(95), judged(85)]).toEqual(['pass', 'fail']);
  });

  it('take the largest restart of memory', () => {
    const memory = (values: readonly number[]) => values.map((value) => ({ 'memory.host.peak': value }));
    const config = { metrics: { 'memory.host.peak': { max: bytes(108e6) } } };
    const low = memory([100e6, 100e6, 100e6, 100e6, 100e6, 100e6]);
    const verdict = judgeCase(
      { restarts: low },
      { restarts: memory([100e6, 109e6, 100e6, 100e6, 100e6, 100e6]) },
      config,
    );
    expect([verdict.outcome, rowOf(verdict, 'memory.host.peak').status]).toEqual(['fail', 'regressed']);
    expect(judgeCase({ restarts: low }, { restarts: low }, config).outcome).toBe('pass');
  });

  it('judge an output difference that only head has', () => {
    const metrics = { 'output.scores.max-abs': { unit: 'ratio', better: 'lower', definition: 'output-difference@1' } };
    const restarts = restartsOf('latency.p50', 1, 6);
    const judged = (max: number | null) =>
      judgeTexts(
        fileText('base', { cases: [{ restarts }] }),
        fileText('head', {
          cases: [{ metrics, restarts: restarts.map((one) => ({ ...one, 'output.scores.max-abs': 0.01 })) }],
        }),
        max === null ? {} : { metrics: { 'output.scores.max-abs': { max: { value: max, unit: 'count' as const } } } },
      );
    expect(rowOf(judged(null), 'output.scores.max-abs')).toMatchObject({ status: 'reported', head: 0.01 });
    expect(judged(0.1).outcome).toBe('pass');
    expect(judged(0.001).outcome).toBe('fail');
  });

  it('are judged for a new model, which is otherwise new', () => {
    const judged = (max: number) => {
      const head = { id: 'fresh/cpu/b1/c1', restarts: restartsOf('latency.p50', 10, 6), entry: { isNew: true } };
      return judgeTexts(fileText('base', { cases: [] }), fileText('head', { cases: [head] }), {
        metrics: { 'latency.p50': { max: ms(max) } },
      });
    };
    expect([judged(12).outcome, judged(12).counts]).toEqual(['pass', { new: 1 }]);
    expect(judged(12).notes[0]).toMatchObject({ headline: true, text: '1 new model, nothing to compare yet' });
    expect(judged(8).outcome).toBe('fail');
  });
});

describe('rows by metric', () => {
  it('shows throughput without judging it, and judges it where the config insists', () => {
    const base = { restarts: restartsOf('throughput', 100, 9).map((one) => ({ ...one, 'latency.p50': 1 })) };
    const head = { restarts: restartsOf('throughput', 80, 9).map((one) => ({ ...one, 'latency.p50': 1 })) };
    const shown = judgeCase(base, head);
    expect([shown.outcome, shown.counts]).toEqual(['pass', { pass: 1 }]);
    const row = rowOf(shown, 'throughput');
    expect([row.status, row.proven, row.reason]).toEqual(['reported', null, 'shown, not judged']);
    expect(row.change).toBeCloseTo(-0.2, 6);
    expect(row.interval?.[1]).toBeLessThan(-0.19);
    const gated = judgeCase(base, head, { metrics: { throughput: { gate: true } } });
    expect(rowOf(gated, 'throughput')).toMatchObject({ status: 'regressed', margin: 0.03, proven: 'worse' });
  });

  it('judges an advisory row, which never decides nor counts', () => {
    const both = (p99: number) => restartsOf('latency.p99', p99, 9).map((one) => ({ ...one, 'latency.p50': 1 }));
    const verdict = judgeCase({ restarts: both(10) }, { restarts: both(20) });
    expect([verdict.outcome, verdict.counts]).toEqual(['pass', { pass: 1 }]);
    expect(rowOf(verdict, 'latency.p99')).toMatchObject({ role: 'advisory', status: 'regressed', proven: 'worse' });
  });

  it('compares deterministic values plainly, one restart being enough', () => {
    const plain = (arena: number, coverage: number) => ({
      restarts: [{ 'memory.arena.peak': arena, 'ep.coverage': coverage }],
    });
    const same = judgeCase(plain(100e6, 1), plain(101e6, 1));
    expect([same.outcome, same.counts]).toEqual(['pass', { pass: 2 }]);
    const worse = judgeCase(plain(100e6, 1), plain(104e6, 0.9));
    expect(worse.counts).toEqual({ regressed: 2 });
    expect(rowOf(worse, 'memory.arena.peak').reason).toMatch(/^larger by \+4 %, beyond 2 %/);
  });

  it('takes the arena peak as advice where it is not proven to describe the device', () => {
    const plain = (arena: number) => ({
      id: 'm/cuda/b1/c1',
      restarts: restartsOf('latency.p50', 1, 6).map((one) => ({ ...one, 'memory.arena.peak': arena })),
    });
    const judged = (config: object) =>
      judgeTexts(fileText('base', { cases: [plain(1e8)] }), fileText('head', { cases: [plain(2e8)] }), config);
    expect(judged({}).outcome).toBe('pass');
    expect(judged({ metrics: { 'memory.arena.peak': { gate: true } } }).outcome).toBe('fail');
  });

  it('uses rounds where both arms have them, else the restart values', () => {
    const arm = (value: number, round: number | null) => ({
      entry: {
        restarts: Array.from({ length: 6 }, (_, index) => ({
          index,
          valid: true,
          notes: [],
          values: { 'latency.p50': value },
          ...(round === null ? {} : { rounds: { 'latency.p50': [round, round] } }),
        })),
      },
    });
    expect(rowOf(judgeCase(arm(10, 10), arm(10, 10.2)), 'latency.p50').change).toBeCloseTo(0.02, 6);
    expect(rowOf(judgeCase(arm(10, 10), arm(10.1, null)), 'latency.p50').change).toBeCloseTo(0.01, 6);
  });

  it('drops a restart in both arms where rounds differ in number, and gives up above 30 %', () => {
    const arm = (rounds: number, uneven: number) => ({
      entry: {
        restarts: Array.from({ length: 9 }, (_, index) => ({
          index,
          valid: true,
          notes: [],
          values: { 'latency.p50': 10 },
          rounds: { 'latency.p50': Array.from({ length: index < uneven ? rounds + 1 : rounds }, () => 10) },
        })),
      },
    });
    const some = judgeCase(arm(4, 0), arm(4, 2));
    expect([some.outcome, rowOf(some, 'latency.p50').restarts]).toEqual(['pass', 6]);
    const many = judgeCase(arm(4, 0), arm(4, 3));
    expect([many.outcome, rowOf(many, 'run').status]).toEqual(['no-verdict', 'invalid']);
  });

  it('is no verdict where restarts fail in one arm only', () => {
    const restarts = restartsOf('latency.p50', 1, 20);
    const invalid = Object.fromEntries([0, 3, 7, 11, 15].map((i) => [i, ['worker crashed']]));
    const verdict = judgeTexts(
      fileText('base', { cases: [{ restarts }] }),
      fileText('head', { cases: [{ restarts, invalid }] }),
    );
    expect(rowOf(verdict, 'run')).toMatchObject({
      status: 'invalid',
      reason: expect.stringMatching(/fail in one arm only: 0 invalid in base, 5 in head \(worker crashed\)/),
    });
  });

  it('needs no measurement where nothing differs', () => {
    const entry = { unchanged: true };
    const verdict = judgeTexts(fileText('base', { cases: [{ entry }] }), fileText('head', { cases: [{ entry }] }));
    expect([verdict.outcome, verdict.counts]).toEqual(['pass', { unchanged: 1 }]);
  });

  it('judges measured rows though nothing differs: an A/A run', () => {
    const one = { restarts: restartsOf('latency.p50', 1, 6), entry: { unchanged: true } };
    expect(judgeTexts(fileText('base', { cases: [one] }), fileText('head', { cases: [one] })).counts).toEqual({
      pass: 1,
    });
  });

  it('lacks a baseline where no base was given', () => {
    const verdict = judgeTexts(null, fileText('head', { cases: [{ restarts: restartsOf('latency.p50', 1, 9) }] }));
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { 'no-baseline': 1 }]);
  });

  it('passes an empty file only where it says that nothing changed', () => {
    const judged = (notes: object[]) =>
      judgeTexts(fileText('base', { cases: [] }), fileText('head', { cases: [], notes })).outcome;
    expect(judged([{ code: 'nothing-changed', text: 'no model changed' }])).toBe('pass');
    expect(judged([])).toBe('no-verdict');
  });
});
