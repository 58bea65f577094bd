import { RefusedError } from '../errors.ts';
import { DEFAULT_MARGIN, type Margin, METRICS, type Role } from '../metrics/metric-table.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import type { CanonicalUnit, Quantity } from '../metrics/units.ts';
import type { GateConfig, MetricPolicy } from './gate-config.ts';
import { quantityIn } from './quantity-schema.ts';

/** What is asked of one row, in canonical units. */
export interface RowPolicy {
  readonly role: Role;
  /** Role of the comparison with base: a limit on an advisory or reported metric gates the limit, not the margin. */
  readonly marginRole: Role;
  readonly margin: Margin;
  readonly max: number | null;
  readonly min: number | null;
  readonly maxIncrease: number | null;
}

/** Which row a policy is asked for; `unit` is canonical. */
export interface RowAddress {
  readonly model: string;
  readonly case: string;
  readonly metric: string;
  readonly unit: CanonicalUnit;
}

/**
 * Policy of one row: the metric table, then the config's own `metrics`, the model's, the case's; the nearest wins.
 * @throws RefusedError where a limit's unit does not fit the metric.
 */
export function resolveRowPolicy(config: GateConfig, row: RowAddress): RowPolicy {
  const merged = mergedPolicy(config, row);
  const known = METRICS.get(row.metric);
  const limit = (name: 'max' | 'min' | 'max-increase'): number | null => {
    const quantity = merged[name];
    return quantity === undefined ? null : inUnit(quantity, row, name);
  };
  const limits = { max: limit('max'), min: limit('min'), maxIncrease: limit('max-increase') };
  const hasLimit = Object.values(limits).some((value) => value !== null);
  const isOutput = row.metric.startsWith(OUTPUT_METRIC_PREFIX);
  const tableRole: Role = isOutput ? 'reported' : (known?.role ?? 'gated');
  const marginRole = roleOf(merged, tableRole);
  return {
    role: hasLimit ? 'gated' : marginRole,
    marginRole,
    margin: marginOf(merged, known?.margin ?? DEFAULT_MARGIN, row),
    ...limits,
  };
}

/** Whether the config insists on this row with `gate: true`. */
export function isGateAsked(config: GateConfig, row: RowAddress): boolean {
  return mergedPolicy(config, row).gate === true;
}

function mergedPolicy(config: GateConfig, row: RowAddress): MetricPolicy {
  const model = config.models?.find((entry) => entry.id === row.model);
  const layers = [config.metrics, model?.metrics, model?.cases?.[row.case]?.metrics].map(
    (layer) => layer?.[row.metric],
  );
  return Object.assign({}, ...layers.filter((layer) => layer !== undefined));
}

function roleOf(policy: MetricPolicy, tableRole: Role): Role {
  if (policy.gate === true) return 'gated';
  if (policy.gate === false) return 'reported';
  if (policy.gate === 'advisory') return 'advisory';
  return tableRole;
}

function marginOf(policy: MetricPolicy, table: Margin, row: RowAddress): Margin {
  if (policy.margin === undefined) return table;
  if (typeof policy.margin === 'number') return { fraction: policy.margin, floor: table.floor };
  const floor = policy.margin.floor === undefined ? table.floor : inUnit(policy.margin.floor, row, 'margin.floor');
  return { fraction: policy.margin.percent / 100, floor };
}

function inUnit(quantity: Quantity, row: RowAddress, name: string): number {
  const value = quantityIn(quantity, row.unit);
  if (value !== null) return value;
  throw new RefusedError(
    `metrics.${row.metric}.${name} is in ${quantity.unit}, but ${row.metric} is in ${row.unit}: give the limit in that unit`,
  );
}
