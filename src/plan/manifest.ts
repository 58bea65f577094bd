import type { GateConfig } from '../inputs/gate-config.ts';
import { resolveRowPolicy } from '../inputs/row-policy.ts';
import { METRICS } from '../metrics/metric-table.ts';
import type { CaseGroup } from './plan.ts';

/** Which metrics a case can reach; `null` where its preparation failed and nothing is promised but its `run` row. */
export interface CaseReach {
  readonly group: CaseGroup;
  readonly caseId: string;
  readonly metrics: readonly string[] | null;
  readonly unreachable: readonly { readonly metric: string; readonly reason: string }[];
}

export interface PlannedRow {
  readonly case: string;
  readonly metric: string;
  readonly role: 'gated' | 'advisory' | 'reported';
  readonly reason?: string;
}

export interface PlannedManifest {
  readonly seed: string;
  readonly k: number;
  readonly memoryRows: number;
  readonly looks: number[];
  readonly rows: PlannedRow[];
}

/** The gated rows of all shards together: the family that a shard's rows belong to. */
export interface Family {
  readonly k: number;
  readonly memoryRows: number;
}

export interface ManifestOptions {
  readonly seed: string;
  readonly looks: readonly number[];
  /** Set in a shard: its own rows are only a part of the family. */
  readonly family?: Family;
  /** Rows that are shown though policy gates them, with the reason. */
  readonly demotions?: readonly PlannedRow[];
}

/**
 * Fixes, before anything is measured, which rows will be judged and how: every policy-gated row the
 * effort can reach is promised; one it can't reach is `reported` with the reason.
 */
export function planManifest(
  cases: readonly CaseReach[],
  config: GateConfig,
  options: ManifestOptions,
): PlannedManifest {
  const demoted = new Map(options.demotions?.map((row) => [keyOf(row), row]));
  const rows = cases.flatMap((entry) => rowsOf(entry, config)).map((row) => demoted.get(keyOf(row)) ?? row);
  const paired = cases.filter((entry) => entry.group.base !== null && !entry.group.unchanged);
  const pairedIds = new Set(paired.map((entry) => entry.caseId));
  const judgedBy = (judge: string) =>
    rows.filter((row) => row.role === 'gated' && pairedIds.has(row.case) && judgeOf(row.metric) === judge).length;
  return {
    seed: options.seed,
    k: Math.max(judgedBy('signed-rank'), options.family?.k ?? 0),
    memoryRows: Math.max(judgedBy('memory'), options.family?.memoryRows ?? 0),
    looks: [...options.looks],
    // A case that is also measured against its anchor promises the same rows twice.
    rows: [...new Map(rows.toReversed().map((row) => [keyOf(row), row])).values()].toReversed(),
  };
}

function keyOf(row: Pick<PlannedRow, 'case' | 'metric'>): string {
  return JSON.stringify([row.case, row.metric]);
}

function rowsOf(entry: CaseReach, config: GateConfig): PlannedRow[] {
  if (entry.group.unchanged || entry.metrics === null) return [];
  const promised = entry.metrics.map((metric) => ({ case: entry.caseId, metric, role: roleOf(entry, metric, config) }));
  const reported = entry.unreachable.map(({ metric, reason }) => ({
    case: entry.caseId,
    metric,
    role: 'reported' as const,
    reason,
  }));
  return [...promised, ...reported];
}

function roleOf(entry: CaseReach, metric: string, config: GateConfig): PlannedRow['role'] {
  const unit = METRICS.get(metric)?.unit ?? 'ratio';
  return resolveRowPolicy(config, { model: entry.group.model, case: entry.caseId, metric, unit }).marginRole;
}

function judgeOf(metric: string): string {
  return METRICS.get(metric)?.judge ?? 'plain';
}
