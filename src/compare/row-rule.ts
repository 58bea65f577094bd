import type { GateConfig, Waiver } from '../inputs/gate-config.ts';
import { type RowAddress, type RowPolicy, resolveRowPolicy } from '../inputs/row-policy.ts';
import type { Entry, Manifest } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';

/** Where the rules of a comparison come from. */
export interface RuleBook {
  readonly config: GateConfig;
  readonly manifest: Manifest | null;
  /** ISO date on which waivers must still hold; null takes them all as in force. */
  readonly today: string | null;
}

export type Comparison = NonNullable<Entry['comparison']>;

export interface RowPlace extends RowAddress {
  readonly comparison: Comparison;
  readonly provider: string | null;
}

/** Policy of a row with its waiver and what the manifest fixed before measuring. */
export interface RowRule extends RowPolicy {
  /** In force, and its ceiling replaces the margin. */
  readonly waiver: Waiver | null;
  /** Names this row, and is ignored since its last day is over. */
  readonly expiredWaiver: Waiver | null;
  /** The margin without the waiver. */
  readonly plainMargin: RowPolicy['margin'];
  /** Why the row is not judged though policy asks for it, in the manifest's words. */
  readonly demotion: string | null;
}

const DEFAULT_CREEP_MARGIN = 0.05;

/** The rule of one row: config, then manifest, then waiver. @throws RefusedError for a limit in another unit. */
export function resolveRowRule(book: RuleBook, place: RowPlace): RowRule {
  const policy = forComparison(resolveRowPolicy(withProviderDefaults(book.config, place), place), book, place);
  const promised = book.manifest?.rows.find((row) => row.case === place.case && row.metric === place.metric);
  const demotion = promised?.reason !== undefined && promised.role !== 'gated' ? promised.reason : null;
  const marginRole = demotion !== null && promised ? promised.role : policy.marginRole;
  const waivers = (book.config.waivers ?? []).filter((entry) => waiverCovers(entry, place));
  const waiver = widest(waivers, policy.margin.fraction, book.today);
  return {
    ...policy,
    role: hasLimit(policy) ? 'gated' : marginRole,
    marginRole,
    margin: waiver ? { ...policy.margin, fraction: waiver.ceiling } : policy.margin,
    plainMargin: policy.margin,
    waiver,
    expiredWaiver: waivers.find((entry) => !isInForce(entry, book.today)) ?? null,
    demotion,
  };
}

function hasLimit({ max, min, maxIncrease }: RowPolicy): boolean {
  return max !== null || min !== null || maxIncrease !== null;
}

/** The arena field is proven to describe the CPU allocator only; the config may insist. */
function withProviderDefaults(config: GateConfig, { metric, provider }: RowPlace): GateConfig {
  if (metric !== 'memory.arena.peak' || provider === null || provider === 'cpu') return config;
  return { ...config, metrics: { ...config.metrics, [metric]: { gate: 'advisory', ...config.metrics?.[metric] } } };
}

/** Creep has one margin of its own and no limits: it asks how far the model has come since its anchor. */
function forComparison(policy: RowPolicy, { config }: RuleBook, { comparison }: RowPlace): RowPolicy {
  switch (comparison) {
    case 'paired':
      return policy;
    case 'creep': {
      const fraction = config.baseline?.['creep-margin'] ?? DEFAULT_CREEP_MARGIN;
      const margin = { ...policy.margin, fraction };
      return { ...policy, role: policy.marginRole, margin, max: null, min: null, maxIncrease: null };
    }
  }
}

/** The waiver that replaces the margin: in force and wider than it; a narrower one would lower the margin silently. */
function widest(waivers: readonly Waiver[], margin: number, today: string | null): Waiver | null {
  const usable = waivers.filter((waiver) => isInForce(waiver, today) && waiver.ceiling > margin);
  return usable.sort((a, b) => b.ceiling - a.ceiling)[0] ?? null;
}

/** Whether a waiver names this row. */
export function waiverCovers(waiver: Waiver, place: Pick<RowPlace, 'model' | 'metric' | 'case'>): boolean {
  return (
    waiver.model === place.model &&
    waiver.metric === place.metric &&
    (waiver.case === undefined || waiver.case === place.case)
  );
}

/** A waiver holds through its last day. */
export function isInForce(waiver: Waiver, today: string | null): boolean {
  return today === null || waiver.until >= today.slice(0, 10);
}

/** How a metric's rows are decided; output differences plainly, metrics outside the table by the paired test. */
export function judgeOf(metric: string): 'signed-rank' | 'memory' | 'plain' | 'none' {
  return METRICS.get(metric)?.judge ?? (metric.startsWith('output.') ? 'plain' : 'signed-rank');
}
