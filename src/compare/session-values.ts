import { median, sampleStandardDeviation } from 'simple-statistics';
import type { Ratio } from '../baseline/baseline-schema.ts';
import { REFERENCE_ROUNDS } from '../baseline/reference-workload.ts';
import type { Entry, Restart } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { canonicalUnit } from '../metrics/units.ts';
import type { HeadSession } from './stored.ts';

/** Restarts of an entry that count. */
export function validRestarts(entry: Entry): Restart[] {
  return entry.restarts.filter((restart) => restart.valid);
}

/** One metric of a session as a store holds it: a value a restart, and the reference workload beside it. */
export function sessionValues(entry: Entry, metric: string): HeadSession {
  const measured = validRestarts(entry).filter((restart) => Object.hasOwn(restart.values, metric));
  return {
    restarts: measured.map((restart) => rounded(restart.values[metric] ?? 0)),
    reference: referenceOf(measured, entry.metrics[metric]?.unit ?? METRICS.get(metric)?.unit ?? 'ratio'),
  };
}

/**
 * Log-ratio of head to base with its standard error from the restarts' own ratios; `change` is the paired estimate
 * where a row has one. Null below two pairs or where a value is not positive.
 */
export function pairedRatio(metric: string, head: Entry, base: Entry, change: number | null): Ratio | null {
  const bases = new Map(validRestarts(base).map((restart) => [restart.index, restart.values[metric]]));
  const logs = validRestarts(head)
    .map((restart) => Math.log((restart.values[metric] ?? 0) / (bases.get(restart.index) ?? 0)))
    .filter(Number.isFinite);
  if (logs.length < 2) return null;
  const log = change === null ? median(logs) : Math.log1p(change);
  if (!Number.isFinite(log)) return null;
  return { log: rounded(log), se: rounded(sampleStandardDeviation(logs) / Math.sqrt(logs.length)) };
}

/** The reference workload's medians in the metric's own sense: rates are inverted, sizes have none. */
function referenceOf(restarts: readonly Restart[], unit: string): number[] {
  const canonical = canonicalUnit(unit)?.canonical;
  if (canonical !== 'ms' && canonical !== '1/s') return [];
  const latencies = restarts.map((restart) => restart.rounds?.[REFERENCE_ROUNDS] ?? []);
  if (latencies.some((rounds) => rounds.length === 0 || rounds.some((value) => !(value > 0)))) return [];
  return latencies.map((rounds) => rounded(canonical === 'ms' ? median(rounds) : 1000 / median(rounds)));
}

/** Six digits: a thousandth of any restart's noise, and half the size of a store. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
