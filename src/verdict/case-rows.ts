import { LEAST_BUILDS } from '../changes/arm-files.ts';
import { findHeadOnly, findRow } from '../compare/find-row.ts';
import { metricFactsOf, metricIdsOf } from '../compare/metric-facts.ts';
import type { Family } from '../compare/paired-row.ts';
import { type Pairing, pairRestarts } from '../compare/pairing.ts';
import { NO_FINDING, type RowFinding } from '../compare/row-finding.ts';
import { judgeOf, type RowRule, type RuleBook, resolveRowRule } from '../compare/row-rule.ts';
import type { MetricFacts } from '../compare/series.ts';
import { validityFault } from '../compare/validity.ts';
import { warningsOf } from '../compare/warnings.ts';
import type { CasePair } from './case-pairs.ts';
import { definitionReason, incomparableReason } from './comparability.ts';
import { buildRow, buildRunRow, statusOf } from './row-build.ts';
import { reasonOf } from './row-reason.ts';
import { powerReason } from './solo.ts';
import type { Row, Status } from './verdict.ts';

/** What is the same for all rows of a verdict. */
export interface JudgeContext {
  readonly book: RuleBook;
  readonly family: Family;
  /** `absent` where no base was given at all: then cases lack a baseline rather than a measurement. */
  readonly baseFile: 'given' | 'absent';
}

/** All rows of one case, or its single `run` row where the case as a whole can't be judged. */
export function rowsOfCase(pair: CasePair, context: JudgeContext): Row[] {
  const run = (status: Status, reason: string): Row[] => [
    buildRunRow({ case: pair.caseId, comparison: pair.comparison, status, reason }),
  ];
  const fault = faultOf(pair);
  if (fault) return run(fault.kind === 'head-broken' ? 'regressed' : 'missing', fault.reason);
  if (pair.head.length === 0) return run('missing', 'measured in base only: measure head too, or declare the rename');
  const isNew = pair.head.some((entry) => entry.isNew);
  const baseFault = pair.head.find((entry) => entry.baseFault !== undefined)?.baseFault;
  if (pair.base.length === 0 && !isNew && baseFault === undefined && context.baseFile === 'given') {
    return run('missing', 'measured in head only: base lacks this case; measure base too');
  }
  const isUnmeasured = [...pair.head, ...pair.base].every((entry) => entry.restarts.length === 0);
  if (isUnmeasured && pair.head.some((entry) => entry.unchanged)) return unchangedRows(pair, context);
  if (isUnmeasured) return run('missing', 'no restart was measured; raise the time-budget, or see the job log');
  if (isNew) return rowsOfHead(pair, context, 'new', 'new: nothing to compare with yet');
  if (pair.base.length === 0) {
    const why = baseFault ?? 'no baseline: measure base, or accept a first baseline';
    return rowsOfHead(pair, context, 'no-baseline', why);
  }
  const incomparable = incomparableReason(pair);
  if (incomparable !== null) return everyRow(pair, context, 'incomparable', incomparable);
  const pairing = pairRestarts(pair.base, pair.head);
  const invalid = validityFault(pairing);
  if (invalid !== null) return run('invalid', invalid);
  return metricsOf(pair).map((metric) => judgeMetric(metric, pair, pairing, context));
}

function judgeMetric(metric: MetricFacts, pair: CasePair, pairing: Pairing, context: JudgeContext): Row {
  const rule = ruleOf(metric, pair, context);
  const incomparable = definitionReason(pair, metric.id);
  if (incomparable !== null) {
    const status = rule.role === 'reported' ? 'reported' : 'incomparable';
    return buildRow(
      { case: pair.caseId, comparison: pair.comparison, status, reason: incomparable },
      metric,
      rule,
      NO_FINDING,
    );
  }
  const found = findRow(pairing.pairs, metric, rule, context.family);
  const doubt = fewBuildsReason(pair) ?? powerReason(pair, metric, rule, found);
  const finding = doubt === null ? found : undecided(found);
  const status = statusOf(finding, rule);
  const text = (rule.role === 'reported' ? null : doubt) ?? reason(finding, metric, rule, context);
  const row = buildRow({ case: pair.caseId, comparison: pair.comparison, status, reason: text }, metric, rule, finding);
  return rule.role === 'reported' ? row : { ...row, warnings: warningsOf(pairing.pairs, metric, finding) };
}

/** Why builds that do not repeat leave every row open; null where they repeat or are enough. */
function fewBuildsReason({ head }: CasePair): string | null {
  const builds = Math.min(...head.map((entry) => entry.builds ?? LEAST_BUILDS));
  if (builds >= LEAST_BUILDS) return null;
  const count = builds === 1 ? '1 build' : `${builds} builds`;
  return `${count} per arm, each with other bytes: too few to tell a change from the luck of a build; set \`builds: ${LEAST_BUILDS}\` or name a \`timing-cache\``;
}

/** The finding with its figures, but nothing proven by them. */
function undecided(finding: RowFinding): RowFinding {
  if (finding.decision === 'invalid' || finding.decision === 'not-judged') return finding;
  const nothing = { proven: null, improved: false, waived: false, suspected: false, furtherRestarts: null } as const;
  return { ...finding, ...nothing, decision: 'undecided' };
}

/** Rows where head has no counterpart: its own limits are judged, and nothing else. */
function rowsOfHead(pair: CasePair, context: JudgeContext, status: 'new' | 'no-baseline', text: string): Row[] {
  const restarts = pair.head.flatMap((entry) => entry.restarts);
  if (!restarts.some((restart) => restart.valid)) {
    const reasons = [...new Set(restarts.flatMap((restart) => restart.notes))].join('; ');
    return [
      buildRunRow({
        case: pair.caseId,
        comparison: pair.comparison,
        status: 'invalid',
        reason: `no valid restart of head (${reasons || 'marked invalid'}); remove the cause and measure again`,
      }),
    ];
  }
  return metricsOf(pair).map((metric) => {
    const rule = ruleOf(metric, pair, context);
    const finding = findHeadOnly(restarts, metric, rule, context.family);
    const isOpen = finding.decision === 'beyond' || finding.decision === 'undecided';
    const shown = isOpen ? statusOf(finding, rule) : rule.role === 'reported' ? 'reported' : status;
    const why = isOpen ? reason(finding, metric, rule, context) : text;
    return buildRow(
      { case: pair.caseId, comparison: pair.comparison, status: shown, reason: why },
      metric,
      rule,
      finding,
    );
  });
}

/** Byte-identical arms: nothing was measured and nothing can have changed. */
function unchangedRows(pair: CasePair, context: JudgeContext): Row[] {
  const reason = 'model, runtime, options and inputs have equal digests in both arms';
  const rows = everyRow(pair, context, 'unchanged', reason);
  const head = { case: pair.caseId, comparison: pair.comparison, status: 'unchanged', reason } as const;
  return rows.length > 0 ? rows : [buildRunRow(head)];
}

function everyRow(pair: CasePair, context: JudgeContext, status: Status, reason: string): Row[] {
  return metricsOf(pair).map((metric) => {
    const rule = ruleOf(metric, pair, context);
    const shown = rule.role === 'reported' ? 'reported' : status;
    return buildRow(
      { case: pair.caseId, comparison: pair.comparison, status: shown, reason },
      metric,
      rule,
      NO_FINDING,
    );
  });
}

/** Metrics that either arm holds values of; where nothing was measured, those it states. */
export function metricsOf(pair: CasePair): MetricFacts[] {
  const entries = [...pair.head, ...pair.base];
  const measured = metricIdsOf(entries);
  const ids =
    measured.length > 0 ? measured : [...new Set(entries.flatMap((entry) => Object.keys(entry.metrics)))].sort();
  return ids.map((id) =>
    metricFactsOf(
      id,
      entries.find((entry) => entry.metrics[id]),
    ),
  );
}

/** The rule of one metric of a case. */
export function ruleOf(metric: MetricFacts, pair: CasePair, { book }: Pick<JudgeContext, 'book'>): RowRule {
  return resolveRowRule(book, {
    model: pair.model,
    case: pair.caseId,
    metric: metric.id,
    unit: metric.unit,
    comparison: pair.comparison,
    provider: (pair.head[0] ?? pair.base[0])?.case.provider ?? null,
  });
}

function reason(finding: RowFinding, metric: MetricFacts, rule: RowRule, { family }: JudgeContext): string {
  const k = judgeOf(metric.id) === 'memory' ? family.memoryRows : family.k;
  return reasonOf(finding, { metric, rule, k });
}

function faultOf(pair: CasePair) {
  const faults = [...pair.head, ...pair.base].flatMap((entry) => (entry.fault ? [entry.fault] : []));
  return faults.find((fault) => fault.kind === 'head-broken') ?? faults[0];
}
