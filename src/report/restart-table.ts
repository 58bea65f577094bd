import type { Measurement } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { formatChange, formatQuantity } from './number-format.ts';
import { shortCase } from './row-label.ts';

/** One metric of one case, restart by restart, as plain texts. */
export interface RestartTable {
  readonly title: string;
  readonly rows: readonly RestartRow[];
}

export interface RestartRow {
  readonly restart: string;
  readonly base: string;
  readonly head: string;
  readonly change: string;
  readonly note: string;
}

/** Restart tables of one metric in the unit of the metric table, for every case both files measured. */
export function restartTables(base: Measurement, head: Measurement, metric = 'latency.p50'): readonly RestartTable[] {
  const unit = METRICS.get(metric)?.unit ?? 'count';
  return head.entries.flatMap((entry) => {
    const other = base.entries.find((one) => one.case.id === entry.case.id && one.comparison === entry.comparison);
    const rows = entry.restarts.flatMap((restart): readonly RestartRow[] => {
      const partner = other?.restarts.find((one) => one.index === restart.index);
      const [left, right] = [partner?.values[metric], restart.values[metric]];
      if (left === undefined || right === undefined) return [];
      const isValid = restart.valid && partner?.valid === true;
      return [
        {
          restart: String(restart.index + 1),
          base: formatQuantity(left, unit),
          head: formatQuantity(right, unit),
          change: formatChange(right / left - 1),
          note: isValid ? '' : `invalid: ${[...restart.notes, ...(partner?.notes ?? [])].join('; ')}`,
        },
      ];
    });
    const label = METRICS.get(metric)?.label ?? metric;
    return rows.length === 0 ? [] : [{ title: `${shortCase(entry.case.id)} · ${label}`, rows }];
  });
}
