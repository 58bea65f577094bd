import { METRICS } from '../metrics/metric-table.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row } from '../verdict/verdict.ts';

/** What a row means to a reader, in the order in which a report shows it. */
export const KINDS = ['regressed', 'undecided', 'worse', 'improved', 'waived', 'shown', 'new', 'within'] as const;
export type Kind = (typeof KINDS)[number];

/** Kind of a row; only gated rows can be regressed, undecided, improved or within. */
export function kindOf(row: Row): Kind {
  if (row.status === 'new' || row.status === 'waived') return row.status;
  if (row.role === 'advisory' && (row.status === 'regressed' || row.proven === 'worse')) return 'worse';
  if (row.role !== 'gated') return 'shown';
  switch (row.status) {
    case 'regressed':
    case 'improved':
      return row.status;
    case 'inconclusive':
    case 'incomparable':
    case 'no-baseline':
    case 'missing':
    case 'invalid':
      return 'undecided';
    case 'pass':
    case 'unchanged':
      return 'within';
    case 'reported':
      return 'shown';
  }
}

/** Change in the worse direction as a fraction of base; null where not computable. */
export function worseChange(row: Row): number | null {
  return row.change === null ? null : inWorseDirection(row.change, row);
}

/** Most that the change can be in the worse direction by its interval; null where unbounded. */
export function worstCase(row: Row): number | null {
  const end = row.interval?.[row.better === 'lower' ? 1 : 0] ?? null;
  return end === null ? null : inWorseDirection(end, row);
}

/** Whether head breaks an absolute limit by its median: a waiver's ceiling can't help there. */
export function isBeyondLimit(row: Row): boolean {
  const { limit, base, head } = row;
  if (!limit || head === null) return false;
  if (limit.max !== null && head > limit.max) return true;
  if (limit.min !== null && head < limit.min) return true;
  return limit.maxIncrease !== null && base !== null && head - base > limit.maxIncrease;
}

/** Rows from worst to least: by kind, faults of whole cases first, then by change in the worse direction. */
export function compareBySeverity(left: Row, right: Row): number {
  return (
    KINDS.indexOf(kindOf(left)) - KINDS.indexOf(kindOf(right)) ||
    severity(right) - severity(left) ||
    compareText(left.case, right.case) ||
    compareInCase(left, right)
  );
}

/** Rows of one case in the order of the metric table, unknown metrics last. */
export function compareInCase(left: Row, right: Row): number {
  return (
    metricRank(left.metric) - metricRank(right.metric) ||
    compareText(left.metric, right.metric) ||
    compareText(left.comparison, right.comparison)
  );
}

function severity(row: Row): number {
  if (row.metric === RUN_METRIC) return Number.MAX_VALUE;
  return worseChange(row) ?? Number.MAX_VALUE / 2;
}

const METRIC_ORDER = [RUN_METRIC, ...METRICS.keys()];

function metricRank(metric: string): number {
  const index = METRIC_ORDER.indexOf(metric);
  return index < 0 ? METRIC_ORDER.length : index;
}

/** By code units: the same order on any machine. */
function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function inWorseDirection(change: number, row: Row): number {
  return row.better === 'lower' ? change : -change;
}
