import type { RowFinding } from '../compare/row-finding.ts';
import type { RowRule } from '../compare/row-rule.ts';
import type { MetricFacts } from '../compare/series.ts';
import { directionWord, intervalText, percent, plural, quantity, signedPercent } from './words.ts';

/** What a sentence about a row needs. */
export interface ReasonContext {
  readonly metric: MetricFacts;
  readonly rule: RowRule;
  /** Gated rows that share the family's error. */
  readonly k: number;
}

/** One sentence on a judged row, with the next step; slower, faster and the like only where that is proven. */
export function reasonOf(finding: RowFinding, context: ReasonContext): string {
  switch (finding.decision) {
    case 'within':
      return withinReason(finding, context);
    case 'beyond':
      return beyondReason(finding, context);
    case 'undecided':
      return undecidedReason(finding, context);
    case 'invalid':
      return finding.fault ?? 'its values cannot be judged; measure again';
    case 'not-judged':
      return context.rule.demotion ?? 'shown, not judged';
  }
}

function withinReason(finding: RowFinding, context: ReasonContext): string {
  const { rule } = context;
  if (finding.improved) return `${provenChange(finding, context)}: accept a new baseline to keep the gain`;
  if (finding.waived && rule.waiver !== null) {
    return `within the waived ${percent(rule.waiver.ceiling)} (waived until ${rule.waiver.until}: ${oneLine(rule.waiver.reason)})`;
  }
  if (finding.by === 'max' || finding.by === 'min') return `within ${limitText(finding, context)}`;
  const allowed = allowedText(finding, context);
  if (finding.proven !== null && finding.change !== null) return `${provenChange(finding, context)}, within ${allowed}`;
  const isFarBetter = finding.change !== null && finding.margin !== null && Math.abs(finding.change) > finding.margin;
  return isFarBetter ? `no change for the worse beyond ${allowed}` : `no change beyond ${allowed}`;
}

function beyondReason(finding: RowFinding, context: ReasonContext): string {
  const next = 'look closer with `model-gate measure`, or waive it with a reason';
  if (finding.by === 'max' || finding.by === 'min') {
    const head = finding.head === null ? 'unknown' : quantity(finding.head, context.metric.unit);
    return `beyond ${limitText(finding, context)}: head is ${head}; make it cheaper, or change the limit`;
  }
  const { expiredWaiver } = context.rule;
  const expired = expiredWaiver === null ? '' : `; waiver expired on ${expiredWaiver.until}`;
  return `${provenChange(finding, context)}, beyond ${allowedText(finding, context)}${expired}; ${next}`;
}

function undecidedReason(finding: RowFinding, context: ReasonContext): string {
  const { n, furtherRestarts, suspected } = finding;
  if (n < 6) return `too few restarts: ${n} of at least 6; measure ${plural(6 - n, 'more restart')}`;
  const settle =
    furtherRestarts === null
      ? 'more restarts would hardly settle it: quieten the machine, raise the margin, or set `gate: false`'
      : `${plural(furtherRestarts, 'more restart')} would settle it if the trend holds: run again with a larger time-budget`;
  if (finding.by === 'max' || finding.by === 'min') {
    return `neither within nor beyond ${limitText(finding, context)} after ${plural(n, 'restart')}; ${settle}`;
  }
  const allowed = allowedText(finding, context);
  if (suspected) {
    const word = directionWord(context.metric.unit, context.metric.better, 'worse');
    return `beyond ${allowed} but ${word} is not yet proven among ${plural(context.k, 'row')} (${changeText(finding)}); ${settle}`;
  }
  return `neither within nor beyond ${allowed} after ${plural(n, 'restart')} (${changeText(finding)}); ${settle}`;
}

function provenChange(finding: RowFinding, { metric }: ReasonContext): string {
  const word = finding.proven === null ? 'changed' : directionWord(metric.unit, metric.better, finding.proven);
  return `${word} by ${changeText(finding)}`;
}

function changeText({ change, interval, base, head }: RowFinding): string {
  if (change === null) return base === null || head === null ? 'n/a' : `n/a, from ${base} to ${head}`;
  const range = intervalText(interval);
  return range === null ? signedPercent(change) : `${signedPercent(change)}, ${range}`;
}

function allowedText({ margin, by }: RowFinding, { metric, rule }: ReasonContext): string {
  if (by === 'max-increase' && rule.maxIncrease !== null) {
    return `the max-increase of ${quantity(rule.maxIncrease, metric.unit)}`;
  }
  if (margin === null) return `the floor of ${quantity(rule.margin.floor, metric.unit)}`;
  return rule.waiver === null ? percent(margin) : `the waiver's ceiling of ${percent(rule.waiver.ceiling)}`;
}

function limitText({ by }: RowFinding, { metric, rule }: ReasonContext): string {
  const limit = by === 'max' ? rule.max : rule.min;
  return `the ${by} of ${limit === null ? 'none' : quantity(limit, metric.unit)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
