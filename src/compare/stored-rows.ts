import { currentSessions } from '../baseline/chain.ts';
import { HOST_FACT } from '../baseline/environment-class.ts';
import { baselineIn, type Histories } from '../baseline/model-history.ts';
import type { Entry, Measurement } from '../measure/measurement.ts';
import { DEFAULT_MARGIN, METRICS } from '../metrics/metric-table.ts';
import { gatedMetrics, type JudgedMetric } from './judged-metrics.ts';
import type { RuleBook } from './row-rule.ts';
import { sessionValues } from './session-values.ts';
import { judgeStored } from './stored.ts';
import { storedRowOf } from './stored-row.ts';

export interface StoredComparison {
  readonly rows: readonly ReturnType<typeof storedRowOf>[];
  /** Cases that a second session of head must confirm before they are red. */
  readonly unconfirmed: ReadonlySet<string>;
}

/** Cases whose base can't be run against the model's stored sessions of this machine class; DESIGN §6 "Stored". */
export function compareWithStored(head: Measurement, histories: Histories, book: RuleBook): StoredComparison {
  const cases = new Map<string, Entry[]>();
  for (const entry of head.entries.filter((one) => one.baseFault !== undefined && one.fault === undefined))
    cases.set(entry.case.id, [...(cases.get(entry.case.id) ?? []), entry]);
  const judged = [...cases.values()].flatMap((entries) => {
    const [entry] = entries;
    const baseline = entry && baselineIn(histories, entry.subject.model);
    const sessions = entry && baseline ? currentSessions(baseline, entry.case.id) : [];
    return entry && sessions.length > 0
      ? gatedMetrics(entry, 'paired', book).map((metric) => ({ entry, entries, sessions, ...metric }))
      : [];
  });
  const found = judged.map(({ entry, entries, sessions, metric, rule }) => {
    const row = judgeStored({
      metric,
      margin: rule.margin,
      marginSource: marginSource({ metric, rule }),
      workload: entry.case.workload,
      host: String((entry.environment ?? head.environment).facts[HOST_FACT] ?? ''),
      head: entries.map((one) => sessionValues(one, metric.id)),
      sessions,
      k: judged.length,
    });
    return { caseId: entry.case.id, row, shown: storedRowOf(entry.case.id, metric.id, row) };
  });
  return {
    rows: found.map(({ shown }) => shown),
    unconfirmed: new Set(found.filter(({ row }) => row.needsSecondSession).map(({ caseId }) => caseId)),
  };
}

/** The default is known by being the table's own object: a config may well name the same figures. */
function marginSource({ metric, rule }: JudgedMetric): 'default' | 'config' {
  return rule.margin === (METRICS.get(metric.id)?.margin ?? DEFAULT_MARGIN) ? 'default' : 'config';
}
