import { median } from 'simple-statistics';
import type { Restart } from '../measure/measurement.ts';
import { findMemory } from './find-memory.ts';
import { findPaired } from './find-paired.ts';
import { findPlain } from './find-plain.ts';
import {
  furtherForLimit,
  type HeadLimit,
  judgeHeadLimit,
  judgeMemoryLimit,
  judgePlainLimit,
  type LimitDecision,
} from './head-limit.ts';
import type { Family } from './paired-row.ts';
import type { ValidPair } from './pairing.ts';
import { NO_FINDING, type RowFinding } from './row-finding.ts';
import { judgeOf, type RowRule } from './row-rule.ts';
import type { MetricFacts } from './series.ts';
import { showOnly, valuesOf } from './show-only.ts';

/** Judges one row of a case measured on both sides: against base, and head against its own limits. */
export function findRow(pairs: readonly ValidPair[], metric: MetricFacts, rule: RowRule, family: Family): RowFinding {
  const heads = pairs.map((pair) => pair.head);
  return withLimits(findAgainstBase(pairs, metric, rule, family), heads, metric, rule, family);
}

/** Judges head's own limits where there is no base. */
export function findHeadOnly(
  restarts: readonly Restart[],
  metric: MetricFacts,
  rule: RowRule,
  family: Family,
): RowFinding {
  const valid = restarts.filter((restart) => restart.valid);
  const values = valuesOf(valid, metric.id);
  const head = values.length > 0 ? median(values) : null;
  return withLimits({ ...NO_FINDING, head, n: values.length }, valid, metric, rule, family);
}

function findAgainstBase(pairs: readonly ValidPair[], metric: MetricFacts, rule: RowRule, family: Family): RowFinding {
  switch (judgeOf(metric.id)) {
    case 'signed-rank':
      return findPaired(pairs, metric, rule, family);
    case 'memory':
      return findMemory(pairs, metric, rule, family);
    case 'plain':
      return findPlain(pairs, metric, rule);
    case 'none':
      return showOnly(pairs, metric.id);
  }
}

function withLimits(
  finding: RowFinding,
  heads: readonly Restart[],
  metric: MetricFacts,
  rule: RowRule,
  family: Family,
): RowFinding {
  if (finding.decision === 'invalid') return finding;
  const values = valuesOf(heads, metric.id);
  const [worst] = limitsOf(rule)
    .map((limit) => ({ limit, decision: judgeLimit(values, limit, metric, family) }))
    .sort((a, b) => SERIOUSNESS[b.decision] - SERIOUSNESS[a.decision]);
  if (!worst || SERIOUSNESS[worst.decision] <= SERIOUSNESS[finding.decision]) return finding;
  return { ...finding, ...limitFinding(worst.decision, worst.limit, values) };
}

function limitsOf({ max, min }: RowRule): HeadLimit[] {
  return [
    ...(max === null ? [] : [{ kind: 'max' as const, value: max }]),
    ...(min === null ? [] : [{ kind: 'min' as const, value: min }]),
  ];
}

function judgeLimit(values: readonly number[], limit: HeadLimit, metric: MetricFacts, family: Family): LimitDecision {
  switch (judgeOf(metric.id)) {
    case 'signed-rank':
      return judgeHeadLimit(values, limit, family);
    case 'memory':
      return judgeMemoryLimit(values, limit);
    case 'plain':
    case 'none':
      return values.length === 0 ? 'undecided' : judgePlainLimit(median([...values]), limit);
  }
}

function limitFinding(decision: LimitDecision, limit: HeadLimit, values: readonly number[]): Partial<RowFinding> {
  const furtherRestarts = decision === 'undecided' ? furtherForLimit(values, limit) : null;
  return { decision, by: limit.kind, suspected: false, waived: false, improved: false, furtherRestarts };
}

const SERIOUSNESS = { 'not-judged': 0, within: 1, undecided: 2, beyond: 3, invalid: 4 } as const;
