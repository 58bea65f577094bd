import { findRow } from '../../src/compare/find-row.ts';
import { MAX_RESTARTS } from '../../src/compare/looks.ts';
import { metricFactsOf } from '../../src/compare/metric-facts.ts';
import type { Family } from '../../src/compare/paired-row.ts';
import type { ValidPair } from '../../src/compare/pairing.ts';
import type { RowFinding } from '../../src/compare/row-finding.ts';
import { type RowRule, resolveRowRule } from '../../src/compare/row-rule.ts';
import type { MetricFacts } from '../../src/compare/series.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';
import type { NextRestart } from './duet-source.ts';

/** A simulated pull request: ten cases, each with p50 and p95 (judged by rank test) and host memory. */
export const CASES_PER_CHANGE = 10;
const FAMILY: Family = {
  k: 2 * CASES_PER_CHANGE,
  memoryRows: CASES_PER_CHANGE,
  looks: LOOKS,
  stage: 'measuring',
};
const CASE_ID = 'simulated/cpu/b1/c1';

/** What one case of a pull request came to. */
export interface CaseOutcome {
  readonly p50: RowFinding;
  readonly p95: RowFinding;
  readonly memory: RowFinding;
  /** p50 as it would be judged alone, and among ten rows, on the restarts the case took. */
  readonly p50Alone: RowFinding;
  readonly p50OfTen: RowFinding;
  readonly restarts: number;
}

interface JudgedRow {
  readonly metric: MetricFacts;
  readonly rule: RowRule;
  readonly family: Family;
}

const ROWS = {
  p50: rowOf('latency.p50', FAMILY),
  p95: rowOf('latency.p95', FAMILY),
  memory: rowOf('memory.host.peak', FAMILY),
  p50Alone: rowOf('latency.p50', { ...FAMILY, k: 1 }),
  p50OfTen: rowOf('latency.p50', { ...FAMILY, k: 10 }),
};

/** Measures a case until its three rows are decided or more restarts would hardly settle them, as the engine's loop does. */
export function judgeCase(next: NextRestart): CaseOutcome {
  const pairs: ValidPair[] = [];
  for (const look of LOOKS) {
    while (pairs.length < look) pairs.push(next(pairs.length));
    const found = [findOf(ROWS.p50, pairs), findOf(ROWS.p95, pairs), findOf(ROWS.memory, pairs)] as const;
    const open = found.filter(({ decision }) => decision === 'undecided');
    if (look < MAX_RESTARTS && !open.every(({ futile }) => futile)) continue;
    const [p50, p95, memory] = found;
    // Within at the first look leaves no room for any other answer, whatever the family.
    const isPlain = p50.decision === 'within' && p50.n === LOOKS[0];
    const p50Alone = isPlain ? p50 : findOf(ROWS.p50Alone, pairs);
    const p50OfTen = isPlain ? p50 : findOf(ROWS.p50OfTen, pairs);
    return { p50, p95, memory, p50Alone, p50OfTen, restarts: pairs.length };
  }
  throw new Error('the looks have no end');
}

/** The p50 row of a case that is slower, measured until that row is decided: its other rows are taken as settled. */
export function judgeP50(next: NextRestart): RowFinding {
  const pairs: ValidPair[] = [];
  for (const look of LOOKS) {
    while (pairs.length < look) pairs.push(next(pairs.length));
    const found = findOf(ROWS.p50, pairs);
    if (found.decision !== 'undecided' || found.futile || look === MAX_RESTARTS) return found;
  }
  throw new Error('the looks have no end');
}

function findOf({ metric, rule, family }: JudgedRow, pairs: readonly ValidPair[]): RowFinding {
  return findRow(pairs, metric, rule, family);
}

function rowOf(id: string, family: Family): JudgedRow {
  const metric = metricFactsOf(id, undefined);
  const place = { model: 'simulated', case: CASE_ID, metric: id, unit: metric.unit, provider: 'cpu' } as const;
  const book = { config: { version: 1 as const }, manifest: null, today: null };
  return { metric, family, rule: resolveRowRule(book, { ...place, comparison: 'paired' }) };
}

/** What rows come to together: any that fails is a fail, all within are a pass. */
export function reduceRows(rows: readonly RowFinding[]): 'fail' | 'pass' | 'undecided' {
  const decisions = rows.map(({ decision }) => decision);
  if (decisions.includes('beyond')) return 'fail';
  return decisions.every((decision) => decision === 'within') ? 'pass' : 'undecided';
}
