import { median, sampleStandardDeviation } from 'simple-statistics';
import { MAX_RESTARTS } from './looks.ts';
import { type Family, judgePairedRow, type PairedDecision } from './paired-row.ts';
import type { ValidPair } from './pairing.ts';
import { invalidFinding, NO_FINDING, type RowFinding } from './row-finding.ts';
import type { RowRule } from './row-rule.ts';
import { furtherRestarts, isFutile, lookAt, type Spread, smallestDetectable } from './sensitivity.ts';
import { type MetricFacts, type Series, seriesOf } from './series.ts';
import { showOnly } from './show-only.ts';
import { pWithin } from './signed-rank.ts';
import { type Allowance, thresholdAfter } from './threshold.ts';
import { hodgesLehmann, type Interval, walshInterval } from './walsh.ts';

/** Head under a tenth of base's cost did not do the work. */
const IMPLAUSIBLE_LOG = Math.log(0.1);

/** Finds what the paired signed-rank test says of a row; limits on head itself are judged apart. */
export function findPaired(
  pairs: readonly ValidPair[],
  metric: MetricFacts,
  rule: RowRule,
  family: Family,
): RowFinding {
  const series = seriesOf(pairs, metric);
  if ('fault' in series)
    return isJudged(rule) || series.kind !== 'one-sided' ? invalidFinding(series.fault, 0) : showOnly(pairs, metric.id);
  if (series.d.length === 0) return { ...NO_FINDING, decision: 'undecided', by: 'margin' };
  if (!isJudged(rule)) return describeOnly(series, metric);
  if (isImplausible(series, metric)) {
    const shown = describe(series, series.d.length, metric);
    const fault = 'implausible improvement: head takes under a tenth of base; the work may not have run, check head';
    return { ...invalidFinding(fault, series.d.length), ...shown };
  }
  const allowance = allowanceOf(rule);
  const decision = judgePairedRow(series, allowance, metric, family);
  const n = decision.look?.n ?? Math.min(series.d.length, MAX_RESTARTS);
  const spread = spreadOf(series.d.slice(0, n));
  const { at, fraction } = decision.threshold;
  const isOpen = decision.decision === 'undecided';
  const detectAt = isOpen ? n : Math.min(MAX_RESTARTS, Math.max(n, ...family.looks));
  const detectable = smallestDetectable(spread, at, detectAt, family.k);
  return {
    ...NO_FINDING,
    ...describe(series, n, metric),
    interval: series.scale === 'ratio' ? ownDirection(decision.interval, metric) : null,
    decision: decision.decision,
    by: decision.threshold.by,
    margin: fraction,
    n,
    proven: decision.proven,
    improved: decision.improved,
    suspected: decision.suspected,
    waived: rule.waiver !== null && decision.decision === 'within' && needsWaiver(decision, series, metric, rule),
    detectable: detectable === null || series.scale === 'difference' ? null : Math.abs(asChange(detectable, metric)),
    furtherRestarts: isOpen ? furtherRestarts(spread, at, family.k) : null,
    pBeyond: decision.pBeyond,
    futile: isOpen && isFutile(spread, at),
  };
}

/** Whether the comparison with base is judged at all, for the outcome or as advice. */
export function isJudged(rule: RowRule): boolean {
  return rule.marginRole !== 'reported' || rule.maxIncrease !== null;
}

/** What counts for the row's status: an advisory margin does not decide a row that is gated by its limit. */
export function allowanceOf(rule: RowRule): Allowance {
  return { margin: rule.marginRole === rule.role ? rule.margin : null, maxIncrease: rule.maxIncrease };
}

function isImplausible(series: Series, { unit }: MetricFacts): boolean {
  return series.scale === 'ratio' && (unit === 'ms' || unit === '1/s') && hodgesLehmann(series.d) < IMPLAUSIBLE_LOG;
}

function needsWaiver(decision: PairedDecision, series: Series, metric: MetricFacts, rule: RowRule): boolean {
  const { look } = decision;
  if (look === null) return false;
  const plain = thresholdAfter(look.n, series, { margin: rule.plainMargin, maxIncrease: rule.maxIncrease }, metric);
  return pWithin(series.d.slice(0, look.n), plain.at, series.negligible) > look.rowLevel;
}

/** A row nobody judges still shows its estimate and interval over all restarts. */
function describeOnly(series: Series, metric: MetricFacts): RowFinding {
  const n = Math.min(series.d.length, MAX_RESTARTS);
  const look = lookAt(n, 1);
  const isShown = series.scale === 'ratio' && look !== null;
  const interval = isShown ? ownDirection(walshInterval(series.d.slice(0, n), look.rowLevel), metric) : null;
  return { ...NO_FINDING, ...describe(series, n, metric), interval, n };
}

function describe(series: Series, n: number, metric: MetricFacts) {
  return {
    base: median(series.base.slice(0, n)),
    head: median(series.head.slice(0, n)),
    change: series.scale === 'ratio' ? asChange(hodgesLehmann(series.d.slice(0, n)), metric) : null,
  };
}

/** A cost log ratio (worse positive) as a fraction of the value. */
function asChange(logRatio: number, { better }: MetricFacts): number {
  return Math.expm1(better === 'lower' ? logRatio : -logRatio);
}

function ownDirection([low, high]: Interval, metric: MetricFacts): Interval | null {
  if (low === null && high === null) return null;
  const ends = [low === null ? null : asChange(low, metric), high === null ? null : asChange(high, metric)] as const;
  return metric.better === 'lower' ? ends : [ends[1], ends[0]];
}

function spreadOf(d: readonly number[]): Spread {
  return { n: d.length, centre: hodgesLehmann(d), sd: d.length > 1 ? sampleStandardDeviation([...d]) : 0 };
}
