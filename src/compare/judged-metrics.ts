import type { Entry } from '../measure/measurement.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import { metricFactsOf, metricIdsOf } from './metric-facts.ts';
import { judgeOf, type RowRule, type RuleBook, resolveRowRule } from './row-rule.ts';
import type { MetricFacts } from './series.ts';

/** A metric of a case with the rule its row is judged by. */
export interface JudgedMetric {
  readonly metric: MetricFacts;
  readonly rule: RowRule;
}

/** Metrics among `ids` whose comparison with base is gated; output differences have no history. */
export function gatedMetrics(
  entry: Entry,
  comparison: 'paired' | 'creep',
  book: RuleBook,
  ids: readonly string[] = metricIdsOf([entry]),
): JudgedMetric[] {
  return ids.flatMap((id) => {
    const metric = metricFactsOf(id, entry);
    const rule = resolveRowRule(book, {
      model: entry.subject.model,
      case: entry.case.id,
      metric: id,
      unit: metric.unit,
      comparison,
      provider: entry.case.provider ?? null,
    });
    const hasHistory = judgeOf(id) !== 'none' && !id.startsWith(OUTPUT_METRIC_PREFIX);
    return hasHistory && rule.marginRole === 'gated' ? [{ metric, rule }] : [];
  });
}
