import { median } from 'simple-statistics';
import { untiedTails } from './signed-rank.ts';

/** All averages of two values, each with itself too, ascending (Walsh 1949). */
export function walshAverages(d: readonly number[]): number[] {
  const averages: number[] = [];
  for (let i = 0; i < d.length; i++) {
    for (let j = i; j < d.length; j++) averages.push(((d[i] ?? 0) + (d[j] ?? 0)) / 2);
  }
  return averages.sort((a, b) => a - b);
}

/** Hodges-Lehmann estimate of the centre: the median of the Walsh averages. Needs at least one value. */
export function hodgesLehmann(d: readonly number[]): number {
  return median(walshAverages(d));
}

/** A confidence interval; an end that no finite value bounds is null. */
export type Interval = readonly [low: number | null, high: number | null];

/**
 * Exact signed-rank interval with one-sided error `level` at each end: `[w(q), w(N+1−q)]` of the sorted
 * Walsh averages, q from the null distribution. It agrees with the test: its upper end lies below a
 * margin exactly where the test proves it at `level`. Both ends are null where n is too small.
 */
export function walshInterval(d: readonly number[], level: number): Interval {
  const averages = walshAverages(d);
  const tails = untiedTails(d.length);
  let q = 0;
  while (q < averages.length && (tails[averages.length - q] ?? 1) <= level) q++;
  return q === 0 ? [null, null] : [averages[q - 1] ?? null, averages[averages.length - q] ?? null];
}
