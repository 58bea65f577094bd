import type { RowFinding } from '../compare/row-finding.ts';
import { NO_FINDING } from '../compare/row-finding.ts';
import type { RowRule } from '../compare/row-rule.ts';
import type { MetricFacts } from '../compare/series.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row, Status } from './verdict.ts';

/** Which row, and what it says beside its figures. */
export interface RowHead {
  readonly case: string;
  readonly comparison: Row['comparison'];
  readonly status: Status;
  readonly reason: string;
}

/** A row of the verdict from its finding and rule. */
export function buildRow(head: RowHead, metric: MetricFacts, rule: RowRule, finding: RowFinding): Row {
  const { max, min, maxIncrease } = rule;
  const isLimited = max !== null || min !== null || maxIncrease !== null;
  return {
    case: head.case,
    metric: metric.id,
    comparison: head.comparison,
    role: rule.role,
    status: head.status,
    base: finite(finding.base),
    head: finite(finding.head),
    unit: metric.unit,
    better: metric.better,
    change: fraction(finding.change),
    interval: finding.interval === null ? null : [fraction(finding.interval[0]), fraction(finding.interval[1])],
    margin: fraction(finding.margin),
    limit: isLimited ? { max, min, maxIncrease } : null,
    restarts: finding.n,
    detectable: fraction(finding.detectable),
    reason: head.reason,
    proven: provenOf(finding, rule),
    furtherRestarts: finding.furtherRestarts,
    warnings: [],
  };
}

/** Ratios of values near both ends of the number range are beyond it: not computable. */
function finite(value: number | null): number | null {
  return value !== null && Number.isFinite(value) ? value : null;
}

/** Fractions to 1e-9, so that the last bits of a logarithm never make two machines' files differ. */
function fraction(value: number | null): number | null {
  const known = finite(value);
  return known === null ? null : roundFraction(known);
}

function roundFraction(value: number): number {
  return Math.abs(value) < 1e3 ? Math.round(value * 1e9) / 1e9 || 0 : Number(value.toPrecision(12));
}

/** A fault of a whole case: one gated row whose metric is `run`. */
export function buildRunRow(head: RowHead): Row {
  const metric: MetricFacts = { id: RUN_METRIC, unit: 'count', better: 'lower' };
  return buildRow(head, metric, RUN_RULE, NO_FINDING);
}

const NO_MARGIN = { fraction: 0, floor: 0 } as const;

const RUN_RULE: RowRule = {
  role: 'gated',
  marginRole: 'gated',
  margin: NO_MARGIN,
  plainMargin: NO_MARGIN,
  max: null,
  min: null,
  maxIncrease: null,
  waiver: null,
  expiredWaiver: null,
  demotion: null,
};

/** An advisory row is called worse only beyond its margin: it exists to be ignored safely. */
function provenOf(finding: RowFinding, rule: RowRule): Row['proven'] {
  return rule.role === 'advisory' && finding.proven === 'worse' && finding.decision !== 'beyond'
    ? null
    : finding.proven;
}

/** The status a finding gives a row that is judged against base. */
export function statusOf(finding: RowFinding, rule: RowRule): Status {
  if (rule.role === 'reported') return 'reported';
  switch (finding.decision) {
    case 'within':
      return finding.improved ? 'improved' : finding.waived ? 'waived' : 'pass';
    case 'beyond':
      return 'regressed';
    case 'undecided':
      return 'inconclusive';
    case 'invalid':
      return 'invalid';
    case 'not-judged':
      return 'reported';
  }
}
