import { median } from 'simple-statistics';
import type { Restart } from '../measure/measurement.ts';
import type { ValidPair } from './pairing.ts';
import { NO_FINDING, type RowFinding } from './row-finding.ts';

/** A finding that only shows the medians of both arms and their ratio; an arm without values is null. */
export function showOnly(pairs: readonly ValidPair[], metric: string): RowFinding {
  const bases = valuesOf(
    pairs.map((pair) => pair.base),
    metric,
  );
  const heads = valuesOf(
    pairs.map((pair) => pair.head),
    metric,
  );
  const base = bases.length > 0 ? median(bases) : null;
  const head = heads.length > 0 ? median(heads) : null;
  const change = base === null || head === null || base === 0 ? null : (head - base) / Math.abs(base);
  return { ...NO_FINDING, base, head, change, n: Math.min(bases.length, heads.length) };
}

/** Values of one metric in the restarts that hold it. */
export function valuesOf(restarts: readonly Restart[], metric: string): number[] {
  return restarts.flatMap((restart) => {
    const value = restart.values[metric];
    return value === undefined ? [] : [value];
  });
}
