import { median } from 'simple-statistics';
import type { RowFinding } from '../compare/row-finding.ts';
import type { RowRule } from '../compare/row-rule.ts';
import type { MetricFacts } from '../compare/series.ts';
import type { CasePair } from './case-pairs.ts';
import { signedPercent } from './words.ts';

/** Solo runs are medians of latency, so they speak for this row alone. */
const CHECKED_METRIC = 'latency.p50';

/**
 * Why a gated latency row depends on the card's power limit: the arms' ratio alone leaves the interval of the duet by
 * more than half the margin (second-look 8). Null where it holds, or where no arm was run alone.
 */
export function powerReason(
  { comparison, head }: CasePair,
  metric: MetricFacts,
  rule: RowRule,
  finding: RowFinding,
): string | null {
  if (comparison !== 'paired' || metric.id !== CHECKED_METRIC || rule.role !== 'gated') return null;
  const solo = head.findLast((entry) => entry.solo !== undefined)?.solo;
  if (solo === undefined || finding.interval === null) return null;
  const alone = median(solo.head) / median(solo.base) - 1;
  const half = (finding.margin ?? rule.margin.fraction) / 2;
  const [low, high] = finding.interval;
  const isOutside = (low !== null && alone < low - half) || (high !== null && alone > high + half);
  if (!isOutside) return null;
  return `depends on power: ${signedPercent(finding.change)} taking turns, ${signedPercent(alone)} alone; raise the card's power limit, or hold its clocks below it with \`lock-clocks\`, and measure again`;
}
