import { sampleStandardDeviation } from 'simple-statistics';
import { MAX_RESTARTS, MIN_RESTARTS, reachedLooks } from './looks.ts';
import type { Family } from './paired-row.ts';
import { furtherRestarts } from './sensitivity.ts';
import { pAbove, pWithin } from './signed-rank.ts';
import { hodgesLehmann } from './walsh.ts';

/** An absolute limit on head's own value. */
export interface HeadLimit {
  readonly kind: 'max' | 'min';
  readonly value: number;
}

export type LimitDecision = 'within' | 'beyond' | 'undecided';

/** Head's values on the scale they are tested on, worse is positive and the limit is 0. */
interface Excess {
  readonly values: readonly number[];
  readonly negligible: number;
}

function excessOf(head: readonly number[], { kind, value }: HeadLimit): Excess {
  const isLog = value > 0 && head.every((one) => one > 0);
  const sign = kind === 'max' ? 1 : -1;
  const scale = (one: number) => (isLog ? Math.log(one) : one);
  const values = head.map((one) => sign * (scale(one) - scale(value)));
  return { values, negligible: isLog ? 1e-9 : 1e-9 * Math.abs(value) };
}

/**
 * Judges an absolute limit on head's own interval: the one-sample signed-rank test of log head (head where
 * a value or the limit is not positive) against the limit, through the same looks and row levels.
 */
export function judgeHeadLimit(head: readonly number[], limit: HeadLimit, family: Family): LimitDecision {
  const { values, negligible } = excessOf(head, limit);
  for (const look of reachedLooks(family, head.length, 1)) {
    const seen = values.slice(0, look.n);
    if (pAbove(seen, 0, negligible) <= look.rowLevel) return 'beyond';
    if (pWithin(seen, 0, negligible) <= look.rowLevel) return 'within';
  }
  return 'undecided';
}

/** Restarts that would settle an undecided limit if the trend holds; null where 41 would not do. */
export function furtherForLimit(head: readonly number[], limit: HeadLimit): number | null {
  const { values } = excessOf(head.slice(0, MAX_RESTARTS), limit);
  if (values.length < MIN_RESTARTS) return MIN_RESTARTS - values.length;
  const sd = sampleStandardDeviation([...values]);
  return furtherRestarts({ n: values.length, centre: hodgesLehmann(values), sd }, 0, 1);
}

/**
 * Judges a limit on memory: running out of it is decided by the largest restart, so one restart beyond the
 * limit is beyond, and the limit holds once the first look's restarts stayed within it.
 */
export function judgeMemoryLimit(head: readonly number[], limit: HeadLimit): LimitDecision {
  if (head.some((value) => exceeds(value, limit))) return 'beyond';
  return head.length >= MIN_RESTARTS ? 'within' : 'undecided';
}

/** Judges a limit on a deterministic value. */
export function judgePlainLimit(head: number, limit: HeadLimit): LimitDecision {
  return exceeds(head, limit) ? 'beyond' : 'within';
}

function exceeds(value: number, { kind, value: limit }: HeadLimit): boolean {
  return kind === 'max' ? value > limit : value < limit;
}
