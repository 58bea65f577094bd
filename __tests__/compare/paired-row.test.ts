import { describe, expect, it } from '@jest/globals';
import { judgePairedRow } from '../../src/compare/paired-row.ts';
import type { Series } from '../../src/compare/series.ts';
import { thresholdAfter } from '../../src/compare/threshold.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';

const P50 = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;
const ALLOWANCE = { margin: { fraction: 0.03, floor: 0 }, maxIncrease: null };
const family = (k: number) => ({ k, memoryRows: 1, looks: [...LOOKS], stage: 'ended' as const });

function series(d: readonly number[], base = 10): Series {
  return { scale: 'ratio', d, base: d.map(() => base), head: d.map((x) => base * Math.exp(x)), negligible: 1e-6 };
}

/** n values around `center`, symmetric and without ties. */
const around = (center: number, n: number, spread = 0.004) =>
  Array.from({ length: n }, (_, i) => center + (i % 2 === 0 ? 1 : -1) * spread * (0.2 + i / n));

describe('judgePairedRow', () => {
  it('passes no change at the first look, and the decision stands whatever comes later', () => {
    const early = judgePairedRow(series(around(0, 6)), ALLOWANCE, P50, family(30));
    const late = judgePairedRow(series([...around(0, 6), ...around(0.2, 35)]), ALLOWANCE, P50, family(30));
    expect(early).toMatchObject({ decision: 'within', look: { n: 6 }, proven: null });
    expect(late).toEqual(early);
  });

  it('proves a regression at the first look at which the family can', () => {
    const slow = series(around(0.1, 41));
    expect([1, 3, 30, 256].map((k) => judgePairedRow(slow, ALLOWANCE, P50, family(k)).look?.n)).toEqual([6, 9, 13, 19]);
  });

  it('suspects but does not prove where the family level is out of reach', () => {
    const judged = judgePairedRow(series(around(0.1, 9)), ALLOWANCE, P50, family(30));
    expect(judged).toMatchObject({ decision: 'undecided', suspected: true, proven: null });
  });

  it('needs both: a proven difference within the margin is no regression', () => {
    const judged = judgePairedRow(series(around(0.012, 9, 0.002)), ALLOWANCE, P50, family(1));
    expect(judged).toMatchObject({ decision: 'within', proven: 'worse', improved: false });
  });

  it('is undecided at the margin itself', () => {
    const judged = judgePairedRow(series(around(Math.log(1.03), 41)), ALLOWANCE, P50, family(1));
    expect(judged).toMatchObject({ decision: 'undecided', look: { n: 41 } });
  });

  it('looks on after a pass only to tell whether a gain is real', () => {
    const gain = judgePairedRow(series(around(-0.2, 13)), ALLOWANCE, P50, family(30));
    expect(gain).toMatchObject({ decision: 'within', improved: true, proven: 'better', look: { n: 13 } });
    const short = judgePairedRow(series(around(-0.2, 9)), ALLOWANCE, P50, family(30));
    expect(short).toMatchObject({ decision: 'within', improved: false, proven: null, look: { n: 6 } });
  });

  it('shows an interval that agrees with the decision', () => {
    for (const center of [-0.02, 0, 0.02, 0.04, 0.06]) {
      const judged = judgePairedRow(series(around(center, 41, 0.01)), ALLOWANCE, P50, family(1));
      const [low, high] = judged.interval;
      if (judged.decision === 'within') expect(high).toBeLessThan(judged.threshold.at);
      if (judged.decision === 'beyond') expect(low).toBeGreaterThan(judged.threshold.at);
    }
  });
});

describe('thresholdAfter', () => {
  const at = (base: number, fraction: number, floor: number, maxIncrease: number | null = null, metric = P50) =>
    thresholdAfter(6, series(around(0, 6), base), { margin: { fraction, floor }, maxIncrease }, metric);

  it('needs the fraction and the floor: the larger of the two holds', () => {
    expect(at(10, 0.03, 0.1)).toEqual({ at: Math.log1p(0.03), fraction: 0.03, by: 'margin' });
    expect(at(10, 0.03, 0.5).fraction).toBeCloseTo(0.05, 12);
  });

  it('asks for 2 us more below 200 us, of p50 only', () => {
    expect(at(0.02, 0.03, 0).fraction).toBeCloseTo(0.1, 12);
    expect(at(0.19, 0.03, 0).fraction).toBeCloseTo(0.03, 12);
    expect(at(0.02, 0.03, 0, null, { ...P50, id: 'latency.p95' } as unknown as typeof P50).fraction).toBeCloseTo(
      0.03,
      12,
    );
  });

  it('lets the smaller of margin and max-increase hold', () => {
    expect(at(10, 0.5, 0, 1)).toMatchObject({ at: expect.closeTo(Math.log(1.1), 12), by: 'max-increase' });
    expect(at(10, 0.03, 0, 1)).toMatchObject({ at: expect.closeTo(Math.log(1.03), 12), by: 'margin' });
  });

  it('counts a loss of throughput as a fraction of the value', () => {
    const metric = { id: 'throughput', unit: '1/s', better: 'higher' } as const;
    const threshold = thresholdAfter(6, series(around(0, 6), 100), ALLOWANCE, metric);
    expect(threshold.at).toBeCloseTo(-Math.log(0.97), 12);
  });
});
