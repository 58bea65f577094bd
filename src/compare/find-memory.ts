import { median } from 'simple-statistics';
import { LOOKS } from '../plan/time-budget.ts';
import { allowanceOf, isJudged } from './find-paired.ts';
import { fisherFewerInB } from './fisher.ts';
import { MIN_RESTARTS } from './looks.ts';
import { judgeMemoryRow, type MemoryDecision } from './memory-row.ts';
import type { Family } from './paired-row.ts';
import type { ValidPair } from './pairing.ts';
import { invalidFinding, NO_FINDING, type RowFinding } from './row-finding.ts';
import type { RowRule } from './row-rule.ts';
import { type MetricFacts, seriesOf } from './series.ts';
import { showOnly } from './show-only.ts';

/** Finds what the counting rule says of a memory row. */
export function findMemory(
  pairs: readonly ValidPair[],
  metric: MetricFacts,
  rule: RowRule,
  family: Family,
): RowFinding {
  const series = seriesOf(pairs, metric);
  if ('fault' in series) return isJudged(rule) ? invalidFinding(series.fault, 0) : showOnly(pairs, metric.id);
  const { base, head } = series;
  if (base.length === 0) return { ...NO_FINDING, decision: 'undecided', by: 'margin' };
  if (!isJudged(rule)) return { ...NO_FINDING, ...describe(base, head), n: base.length };
  const decided = judgeMemoryRow(base, head, allowanceOf(rule), family);
  const seen = { base: base.slice(0, decided.n), head: head.slice(0, decided.n) };
  const least = Math.min(...seen.base);
  const margin = least > 0 && Number.isFinite(decided.allowed) ? decided.allowed / least - 1 : null;
  const isOpen = decided.decision === 'undecided';
  const last = isOpen ? decided.n : Math.max(decided.n, ...family.looks);
  return {
    ...NO_FINDING,
    ...describe(seen.base, seen.head),
    decision: decided.decision,
    by: decided.by,
    margin,
    n: decided.n,
    proven: decided.proven,
    improved: decided.proven === 'better' && decided.decision === 'within',
    suspected: isOpen && decided.within === 0 && decided.n >= MIN_RESTARTS,
    waived: decided.decision === 'within' && needsWaiver(seen.base, seen.head, rule),
    detectable: leastP(last) <= decided.level ? margin : null,
    furtherRestarts: isOpen ? furtherMemoryRestarts(decided) : null,
    pBeyond: decided.within === 0 ? decided.p : 1,
  };
}

function needsWaiver(base: readonly number[], head: readonly number[], rule: RowRule): boolean {
  if (rule.waiver === null) return false;
  const plain = (1 + rule.plainMargin.fraction) * Math.min(...base) + rule.plainMargin.floor;
  return head.every((value) => value > plain);
}

/** Medians and their ratio, so that the figures shown agree with each other; the rule itself compares the smallest. */
function describe(base: readonly number[], head: readonly number[]) {
  const [before, after] = [median([...base]), median([...head])];
  return { base: before, head: after, change: before > 0 ? after / before - 1 : null };
}

/** Smallest p-value that `n` restarts an arm can give. */
function leastP(n: number): number {
  return fisherFewerInB({ hitsA: n, missesA: 0, hitsB: 0, missesB: n });
}

function furtherMemoryRestarts({ n, level, within }: MemoryDecision): number | null {
  if (n < MIN_RESTARTS) return MIN_RESTARTS - n;
  const target = LOOKS.find((look) => look > n && (within > 0 || leastP(look) <= level));
  return target === undefined ? null : target - n;
}
