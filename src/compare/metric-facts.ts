import type { Entry } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { canonicalUnit } from '../metrics/units.ts';
import type { MetricFacts } from './series.ts';

/** Unit (canonical), direction and definition of a metric: from the table, else as the entry states them. */
export function metricFactsOf(id: string, entry: Entry | undefined): MetricFacts {
  const known = METRICS.get(id);
  const stated = entry?.metrics[id];
  return {
    id,
    unit: known?.unit ?? canonicalUnit(stated?.unit ?? 'ratio')?.canonical ?? 'ratio',
    better: known?.better ?? stated?.better ?? 'lower',
  };
}

/** Ids of all metrics that a restart of either arm holds a value of, sorted. */
export function metricIdsOf(entries: readonly Entry[]): string[] {
  const ids = entries.flatMap((entry) => entry.restarts.flatMap((restart) => Object.keys(restart.values)));
  return [...new Set(ids)].sort();
}
