import type { Restart } from '../../src/measure/measurement.ts';
import { PER_ROUND, ROUNDS } from './noise.ts';

const round = new Float64Array(PER_ROUND);

/** A restart's entry from its kept iterations, round after round: as the product's, but over typed arrays. */
export function summariseRestart(times: Float64Array, peakBytes: number, index: number): Restart {
  const medians = new Array<number>(ROUNDS);
  for (let at = 0; at < ROUNDS; at++) {
    fillSorted(round, times, at * PER_ROUND);
    medians[at] = quantileOf(round, 0.5);
  }
  const sorted = times.slice().sort();
  return {
    index,
    valid: true,
    notes: [],
    values: {
      'latency.p50': quantileOf(sorted, 0.5),
      'latency.p95': quantileOf(sorted, 0.95),
      'memory.host.peak': peakBytes,
    },
    rounds: { 'latency.p50': medians },
  };
}

/** Quantile of sorted values, type 7 as the product's. */
export function quantileOf(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const low = Math.floor(at);
  const value = sorted[low] ?? 0;
  return value + (at - low) * ((sorted[low + 1] ?? value) - value);
}

/** Insertion sort: for thirty values several times faster than a typed array's own. */
function fillSorted(into: Float64Array, from: Float64Array, start: number): void {
  for (let count = 0; count < into.length; count++) {
    const value = from[start + count] ?? 0;
    let at = count;
    for (; at > 0 && (into[at - 1] ?? 0) > value; at--) into[at] = into[at - 1] ?? 0;
    into[at] = value;
  }
}
