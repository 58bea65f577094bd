import { MIN_RESTARTS, reachedLooks } from './looks.ts';
import type { Family } from './paired-row.ts';
import { pAbove, pWithin } from './signed-rank.ts';

/** An absolute limit on head's own value. */
export interface HeadLimit {
  readonly kind: 'max' | 'min';
  readonly value: number;
}

export type LimitDecision = 'within' | 'beyond' | 'undecided';

/**
 * Judges an absolute limit on head's own interval: the one-sample signed-rank test of log head (head where
 * a value or the limit is not positive) against the limit, through the same looks and row levels.
 */
export function judgeHeadLimit(head: readonly number[], limit: HeadLimit, family: Family): LimitDecision {
  const isLog = limit.value > 0 && head.every((value) => value > 0);
  const sign = limit.kind === 'max' ? 1 : -1;
  const scaled = head.map((value) => sign * (isLog ? Math.log(value) : value));
  const at = sign * (isLog ? Math.log(limit.value) : limit.value);
  const negligible = isLog ? 1e-9 : 1e-9 * Math.abs(limit.value);
  for (const look of reachedLooks(family, head.length, 1)) {
    const seen = scaled.slice(0, look.n);
    if (pAbove(seen, at, negligible) <= look.rowLevel) return 'beyond';
    if (pWithin(seen, at, negligible) <= look.rowLevel) return 'within';
  }
  return 'undecided';
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
