import type { Better } from '../metrics/metric-table.ts';
import type { Allowance } from './threshold.ts';

/** What comparing two deterministic values says. */
export interface PlainDecision {
  readonly decision: 'within' | 'beyond';
  readonly improved: boolean;
  /** How much worse head is, in the metric's unit. */
  readonly worseBy: number;
  /** How much worse it may be. */
  readonly allowed: number;
  readonly by: 'margin' | 'max-increase';
}

/** Differences below this share of base are the rounding of a ratio. */
const ROUNDING = 1e-9;

/** Compares two values that do not vary between restarts: beyond the fraction and the floor, or the max-increase. */
export function judgePlainRow(base: number, head: number, allowance: Allowance, better: Better): PlainDecision {
  const worseBy = better === 'lower' ? head - base : base - head;
  const { margin, maxIncrease } = allowance;
  const byMargin = margin ? Math.max(margin.fraction * Math.abs(base), margin.floor) : Number.POSITIVE_INFINITY;
  const byIncrease = maxIncrease ?? Number.POSITIVE_INFINITY;
  const allowed = Math.min(byMargin, byIncrease);
  const slack = ROUNDING * Math.abs(base);
  return {
    decision: worseBy > allowed + slack ? 'beyond' : 'within',
    improved: -worseBy > Math.min(allowed, byMargin) + slack,
    worseBy,
    allowed,
    by: byIncrease < byMargin ? 'max-increase' : 'margin',
  };
}
