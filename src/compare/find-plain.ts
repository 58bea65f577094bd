import { allowanceOf, isJudged } from './find-paired.ts';
import type { ValidPair } from './pairing.ts';
import { judgePlainRow } from './plain-row.ts';
import type { RowFinding } from './row-finding.ts';
import type { RowRule } from './row-rule.ts';
import type { MetricFacts } from './series.ts';
import { showOnly } from './show-only.ts';

/** Finds what comparing two deterministic values says; one restart is enough. */
export function findPlain(pairs: readonly ValidPair[], metric: MetricFacts, rule: RowRule): RowFinding {
  const shown = showOnly(pairs, metric.id);
  const { base, head } = shown;
  if (base === null || head === null) return isJudged(rule) ? { ...shown, decision: 'undecided', by: 'margin' } : shown;
  if (!isJudged(rule)) return shown;
  const decided = judgePlainRow(base, head, allowanceOf(rule), metric.better);
  const margin = base === 0 || !Number.isFinite(decided.allowed) ? null : decided.allowed / Math.abs(base);
  const plain = judgePlainRow(base, head, { margin: rule.plainMargin, maxIncrease: null }, metric.better);
  return {
    ...shown,
    decision: decided.decision,
    by: decided.by,
    margin,
    proven: decided.decision === 'beyond' ? 'worse' : decided.improved ? 'better' : null,
    improved: decided.improved,
    waived: rule.waiver !== null && decided.decision === 'within' && plain.decision === 'beyond',
    detectable: margin,
    pBeyond: decided.decision === 'beyond' ? 0 : 1,
  };
}
