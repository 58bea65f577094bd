import { type Look, type LookPlan, reachedLooks } from './looks.ts';
import type { MetricFacts, Series } from './series.ts';
import { pAbove, pWithin } from './signed-rank.ts';
import { type Allowance, type Threshold, thresholdAfter } from './threshold.ts';
import { type Interval, walshInterval } from './walsh.ts';

/** The family a row belongs to: how many rows share the error, and how far the looks can go. */
export interface Family extends LookPlan {
  readonly k: number;
  readonly memoryRows: number;
}

/** What the signed-rank test says of a row after its last look. */
export interface PairedDecision {
  readonly decision: 'within' | 'beyond' | 'undecided';
  /** The look that decided, or the last one reached; null below 6 restarts. */
  readonly look: Look | null;
  /** Beyond the threshold at the row level, though not proven at the family level. */
  readonly suspected: boolean;
  /** A difference in this direction is proven at the family level. */
  readonly proven: 'worse' | 'better' | null;
  /** Better by more than the margin, at the family level. */
  readonly improved: boolean;
  readonly threshold: Threshold;
  /** p-value of "worse by more than the threshold". */
  readonly pBeyond: number;
  /** Interval of `d` at the look's row level. */
  readonly interval: Interval;
}

/**
 * Judges a paired row by replay: restarts in order through the looks, and the first decision stands.
 * Within: p(delta ≥ threshold) ≤ the row level. Beyond: p(delta ≤ threshold) ≤ the row level and
 * p(delta ≤ 0) ≤ the family level. A row within its margin is looked at further only to tell whether an
 * improvement is real.
 */
export function judgePairedRow(
  series: Series,
  allowance: Allowance,
  metric: MetricFacts,
  family: Family,
): PairedDecision {
  let last = undecided(series, allowance, metric);
  let settled: PairedDecision | null = null;
  for (const look of reachedLooks(family, series.d.length, family.k)) {
    last = decideAt(look, series, allowance, metric);
    if (last.improved) return last;
    if (settled === null && last.decision === 'beyond') return last;
    if (settled === null && last.decision === 'within') settled = last;
    if (settled && (settled.interval[1] ?? 0) >= -settled.threshold.at) return settled;
  }
  return settled ?? last;
}

function decideAt(look: Look, series: Series, allowance: Allowance, metric: MetricFacts): PairedDecision {
  const d = series.d.slice(0, look.n);
  const threshold = thresholdAfter(look.n, series, allowance, metric);
  const { negligible } = series;
  const mirrored = d.map((value) => -value);
  const pBeyond = pAbove(d, threshold.at, negligible);
  const isBeyond = pBeyond <= look.rowLevel;
  const isWorse = pAbove(d, 0, negligible) <= look.familyLevel;
  const isBetter = pAbove(mirrored, 0, negligible) <= look.familyLevel;
  const isWithin = pWithin(d, threshold.at, negligible) <= look.rowLevel;
  return {
    decision: isBeyond && isWorse ? 'beyond' : isWithin ? 'within' : 'undecided',
    look,
    suspected: isBeyond && !isWorse,
    proven: isWorse ? 'worse' : isBetter ? 'better' : null,
    improved: isBetter && isWithin && pAbove(mirrored, threshold.at, negligible) <= look.rowLevel,
    threshold,
    pBeyond,
    interval: walshInterval(d, look.rowLevel),
  };
}

function undecided(series: Series, allowance: Allowance, metric: MetricFacts): PairedDecision {
  const threshold = series.d.length > 0 ? thresholdAfter(series.d.length, series, allowance, metric) : NO_THRESHOLD;
  return {
    decision: 'undecided',
    look: null,
    suspected: false,
    proven: null,
    improved: false,
    threshold,
    pBeyond: series.d.length > 0 ? pAbove(series.d, threshold.at, series.negligible) : 1,
    interval: [null, null],
  };
}

const NO_THRESHOLD: Threshold = { at: Number.POSITIVE_INFINITY, fraction: null, by: 'margin' };
