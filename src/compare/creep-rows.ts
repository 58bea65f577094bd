import type { Baseline } from '../baseline/baseline-schema.ts';
import { chainSinceAnchor, currentSessions, linkChain } from '../baseline/chain.ts';
import { baselineIn, type Histories } from '../baseline/model-history.ts';
import type { Entry, Measurement } from '../measure/measurement.ts';
import { creepRowOf, DEFAULT_CREEP_MARGIN, judgeCreepChain, needsAnchorRun } from './creep.ts';
import { gatedMetrics, type JudgedMetric } from './judged-metrics.ts';
import type { RuleBook } from './row-rule.ts';
import { pairedRatio, validRestarts } from './session-values.ts';

/** Gated metrics of a case whose accepted steps since the anchor come near the creep margin. */
export function creepingMetrics(entry: Entry, baseline: Baseline, book: RuleBook): JudgedMetric[] {
  const anchor = currentSessions(baseline, entry.case.id)[0];
  const margin = creepMarginOf(book);
  return gatedMetrics(entry, 'creep', book, Object.keys(anchor?.metrics ?? {}).sort()).filter(({ metric }) =>
    needsAnchorRun(chainSinceAnchor(baseline, entry.case.id, metric.id), metric.better, margin),
  );
}

/** Rows by the chain alone: of cases that creep though no run against the anchor is in the files. */
export function creepRowsByChain(
  files: { readonly base: Measurement; readonly head: Measurement },
  histories: Histories,
  book: RuleBook,
) {
  const { base, head } = files;
  const hasAnchorRun = (id: string) =>
    head.entries.some((entry) => entry.comparison === 'creep' && entry.case.id === id);
  const cases = new Map(
    head.entries
      .filter((entry) => entry.comparison !== 'creep' && entry.fault === undefined && !hasAnchorRun(entry.case.id))
      .map((entry) => [entry.case.id, entry]),
  );
  return [...cases.values()].flatMap((entry) => {
    const baseline = baselineIn(histories, entry.subject.model);
    if (baseline === null) return [];
    return creepingMetrics(entry, baseline, book).map(({ metric }) => {
      const chain = chainSinceAnchor(baseline, entry.case.id, metric.id);
      const own = ownLink(entry, base, baseline, metric.id);
      const row = judgeCreepChain({ metric, chain, own, creepMargin: creepMarginOf(book) });
      return creepRowOf(entry.case.id, metric.id, row);
    });
  });
}

/** This change as one more link; null where its base is not the newest accepted model. */
function ownLink(head: Entry, base: Measurement, baseline: Baseline, metric: string) {
  const other = base.entries.find((entry) => entry.comparison !== 'creep' && entry.case.id === head.case.id);
  const newest = currentSessions(baseline, head.case.id).at(-1);
  if (other === undefined || other.subject.sha256 !== newest?.sha256) return null;
  const ratio = pairedRatio(metric, head, other, null);
  return ratio && linkChain(ratio, validRestarts(head).length);
}

function creepMarginOf({ config }: RuleBook): number {
  return config.baseline?.['creep-margin'] ?? DEFAULT_CREEP_MARGIN;
}
