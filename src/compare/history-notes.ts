import { median } from 'simple-statistics';
import { ageNotes, type BaselineNote, DEFAULT_MAX_AGE_MS, implausibleNotes } from '../baseline/choose-reference.ts';
import { baselineIn, type Histories } from '../baseline/model-history.ts';
import type { Measurement } from '../measure/measurement.ts';
import { gatedMetrics } from './judged-metrics.ts';
import type { RuleBook } from './row-rule.ts';
import { sessionValues } from './session-values.ts';

/** What history warns of: a baseline older than allowed, and a base that does not behave as its accepted sessions did. */
export function historyNotes(
  files: { readonly base: Measurement; readonly head: Measurement },
  histories: Histories,
  book: RuleBook,
  nowMs: number,
): BaselineNote[] {
  const maxAgeMs = book.config.baseline?.['max-age'] ?? DEFAULT_MAX_AGE_MS;
  const models = new Map(files.head.entries.map((entry) => [entry.case.id, entry.subject.model]));
  const old = [...models].flatMap(([caseId, model]) => {
    const baseline = baselineIn(histories, model);
    return baseline === null ? [] : ageNotes(baseline, caseId, nowMs, maxAgeMs);
  });
  const implausible = files.base.entries
    .filter((entry) => entry.comparison !== 'creep')
    .flatMap((entry) => {
      const baseline = baselineIn(histories, entry.subject.model);
      if (baseline === null) return [];
      return gatedMetrics(entry, 'paired', book).flatMap(({ metric }) => {
        const { restarts } = sessionValues(entry, metric.id);
        if (restarts.length === 0) return [];
        return implausibleNotes(baseline, entry.case.id, metric.id, median([...restarts]));
      });
    });
  return [...old, ...implausible];
}
