import { describe, expect, it } from '@jest/globals';
import { judgePairedRow } from '../../src/compare/paired-row.ts';
import { furtherRestarts, isFutile, smallestDetectable } from '../../src/compare/sensitivity.ts';
import type { Series } from '../../src/compare/series.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';
import { seededNormal } from './random-normal.ts';

const MARGIN = Math.log1p(0.03);
const P50 = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;
const ALLOWANCE = { margin: { fraction: 0.03, floor: 0 }, maxIncrease: null };

/** Share of simulated rows with this true change and spread that end as `decision`. */
function shareOf(decision: string, change: number, sd: number, restarts: number, k: number): number {
  const normal = seededNormal(5);
  const rows = 300;
  let hits = 0;
  for (let row = 0; row < rows; row++) {
    const d = Array.from({ length: restarts }, () => change + sd * normal());
    const series: Series = { scale: 'ratio', d, base: d.map(() => 10), head: d.map(() => 10), negligible: 1e-6 };
    const judged = judgePairedRow(series, ALLOWANCE, P50, { k, memoryRows: 1, looks: [...LOOKS], stage: 'ended' });
    if (judged.decision === decision) hits++;
  }
  return hits / rows;
}

describe('smallestDetectable', () => {
  it.each([
    [0.005, 13, 30],
    [0.01, 41, 30],
    [0.03, 41, 30],
    [0.01, 9, 3],
    [0.02, 28, 1],
  ])('names a change that is proven nine times in ten: sd %d, %d restarts, %d rows', (sd, n, k) => {
    const detectable = smallestDetectable({ n, centre: 0, sd }, MARGIN, n, k);
    expect(detectable).not.toBeNull();
    const share = shareOf('beyond', detectable ?? 0, sd, n, k);
    expect(share).toBeGreaterThan(0.82);
    expect(share).toBeLessThan(1);
  });

  it('is null where these restarts can prove nothing at this k', () => {
    expect(smallestDetectable({ n: 6, centre: 0, sd: 0.001 }, MARGIN, 6, 30)).toBeNull();
    expect(smallestDetectable({ n: 5, centre: 0, sd: 0.001 }, MARGIN, 5, 1)).toBeNull();
  });

  it('is just beyond the margin without noise', () => {
    expect(smallestDetectable({ n: 13, centre: 0, sd: 0 }, MARGIN, 13, 30)).toBe(MARGIN);
  });
});

describe('furtherRestarts', () => {
  it('asks for the first look at which the family level can be reached', () => {
    expect(furtherRestarts({ n: 6, centre: 0.1, sd: 0.001 }, MARGIN, 30)).toBe(7);
    expect(furtherRestarts({ n: 12, centre: 0.1, sd: 0.001 }, MARGIN, 256)).toBe(7);
  });

  it('completes the first look', () => {
    expect(furtherRestarts({ n: 2, centre: 0, sd: 0.01 }, MARGIN, 1)).toBe(4);
  });

  it('is null at the margin, where no number of restarts helps', () => {
    expect(furtherRestarts({ n: 13, centre: MARGIN, sd: 0.01 }, MARGIN, 1)).toBeNull();
  });

  it('promises what happens in at least three of four cases', () => {
    const further = furtherRestarts({ n: 9, centre: 0.01, sd: 0.03 }, MARGIN, 30);
    expect(further).not.toBeNull();
    expect(shareOf('within', 0.01, 0.03, 9 + (further ?? 0), 30)).toBeGreaterThan(0.75);
  });
});

describe('isFutile', () => {
  it('gives up only late and only near the margin', () => {
    const at = (n: number, centre: number) => isFutile({ n, centre, sd: 0.03 }, MARGIN);
    expect([at(13, MARGIN), at(19, MARGIN), at(28, MARGIN), at(41, MARGIN)]).toEqual([false, false, true, false]);
    expect([at(28, MARGIN + 0.01), at(28, MARGIN - 0.01)]).toEqual([false, false]);
  });
});
