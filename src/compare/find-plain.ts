import { median } from 'simple-statistics';
import type { Restart } from '../measure/measurement.ts';
import { allowanceOf, isJudged } from './find-paired.ts';
import type { ValidPair } from './pairing.ts';
import { judgePlainRow } from './plain-row.ts';
import { NO_FINDING, type RowFinding } from './row-finding.ts';
import type { RowRule } from './row-rule.ts';
import type { MetricFacts } from './series.ts';

/** Finds what comparing two deterministic values says; one restart is enough. */
export function findPlain(pairs: readonly ValidPair[], metric: MetricFacts, rule: RowRule): RowFinding {
  const bases = valuesOf(
    pairs.map((pair) => pair.base),
    metric.id,
  );
  const heads = valuesOf(
    pairs.map((pair) => pair.head),
    metric.id,
  );
  const n = Math.min(bases.length, heads.length);
  if (n === 0) return { ...NO_FINDING, decision: isJudged(rule) ? 'undecided' : 'not-judged', by: 'margin' };
  const base = median(bases);
  const head = median(heads);
  const shown = { ...NO_FINDING, base, head, change: base === 0 ? null : (head - base) / Math.abs(base), n };
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

/** Values of one metric in the restarts that hold it. */
export function valuesOf(restarts: readonly Restart[], metric: string): number[] {
  return restarts.flatMap((restart) => {
    const value = restart.values[metric];
    return value === undefined ? [] : [value];
  });
}
