import { METRICS } from '../metrics/metric-table.ts';
import type { Row } from '../verdict/verdict.ts';
import { compareBySeverity, compareInCase, KINDS, type Kind, kindOf } from './row-kind.ts';

/** Rows shown at once, worst first, and rows folded away, unchanged ones last; every row is in one of them. */
export interface OrderedRows {
  readonly visible: readonly Row[];
  readonly folded: readonly Row[];
}

/** Cases with trouble whose latency, throughput and memory are shown in full, as context. */
const CONTEXT_CASES = 3;
const TROUBLE: readonly Kind[] = ['regressed', 'undecided', 'worse'];
const NEWS: readonly Kind[] = [...TROUBLE, 'improved', 'waived'];

/** Splits and orders the rows of a verdict: by kind, then case by case, worst case first. */
export function orderRows(rows: readonly Row[]): OrderedRows {
  const severe = rows.filter((row) => TROUBLE.includes(kindOf(row))).sort(compareBySeverity);
  const rank = rankCases([...severe, ...rows]);
  const context = new Set([...rank.keys()].slice(0, severe.length === 0 ? 0 : CONTEXT_CASES));
  const troubled = new Set(severe.map((row) => row.case));
  const isVisible = (row: Row): boolean =>
    NEWS.includes(kindOf(row)) || (context.has(row.case) && troubled.has(row.case) && isContext(row));
  const byCase = (left: Row, right: Row): number =>
    (rank.get(left.case) ?? 0) - (rank.get(right.case) ?? 0) || compareInCase(left, right);
  return {
    visible: rows.filter(isVisible).sort((a, b) => kindRank(a) - kindRank(b) || byCase(a, b)),
    folded: rows.filter((row) => !isVisible(row)).sort((a, b) => staleness(a) - staleness(b) || byCase(a, b)),
  };
}

function rankCases(rows: readonly Row[]): ReadonlyMap<string, number> {
  const rank = new Map<string, number>();
  for (const row of rows) if (!rank.has(row.case)) rank.set(row.case, rank.size);
  return rank;
}

/** A measured latency, throughput or memory figure of the metric table. */
function isContext(row: Row): boolean {
  const isCore = /^(latency|throughput|memory)\b/.test(row.metric) && METRICS.has(row.metric);
  return isCore && row.base !== null && row.head !== null;
}

function kindRank(row: Row): number {
  return KINDS.indexOf(kindOf(row));
}

/** What is left out first when room is short comes last. */
function staleness(row: Row): number {
  if (row.status === 'unchanged') return 2;
  return kindOf(row) === 'within' ? 0 : 1;
}
