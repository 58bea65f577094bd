import { METRICS } from '../metrics/metric-table.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row } from '../verdict/verdict.ts';

const LONGEST_ID = 1000;

/** The parts of a case id that the gate itself makes; ids of other makers are opaque. */
export interface CaseParts {
  readonly model: string;
  readonly provider: string;
  readonly batch: string;
  readonly concurrency: string;
  readonly variant: string | null;
}

/** Parts of `<model>/<provider>/b<batch>/c<concurrency>[/<variant>]`, or null for an opaque id. */
export function parseCaseId(id: string): CaseParts | null {
  if (id.length > LONGEST_ID) return null;
  const match = /^([^/]+)\/([^/]+)\/b(\d+)\/c(\d+)(?:\/(.+))?$/s.exec(id);
  if (!match) return null;
  const [, model = '', provider = '', batch = '', concurrency = '', variant = null] = match;
  return { model, provider, batch, concurrency, variant };
}

/** Case as a table shows it: `ranker cuda b32`. */
export function shortCase(id: string): string {
  const parts = parseCaseId(id);
  if (!parts) return id;
  const { model, provider, batch, concurrency, variant } = parts;
  return [model, provider, `b${batch}`, concurrency === '1' ? null : `c${concurrency}`, variant]
    .filter((part) => part !== null)
    .join(' ');
}

/** Case as a sentence shows it: `ranker · cuda · batch 32`. */
export function longCase(id: string): string {
  const parts = parseCaseId(id);
  if (!parts) return id;
  const { model, provider, batch, concurrency, variant } = parts;
  return [model, provider, `batch ${batch}`, concurrency === '1' ? null : `concurrency ${concurrency}`, variant]
    .filter((part) => part !== null)
    .join(' · ');
}

/** Metric for people, naming the comparison where it is not the paired one: `latency p50 (stored)`. */
export function metricLabel(row: Row): string {
  const label = row.metric === RUN_METRIC ? 'run' : (METRICS.get(row.metric)?.label ?? row.metric);
  switch (row.comparison) {
    case 'paired':
      return label;
    case 'stored':
      return `${label} (stored)`;
    case 'creep':
      return `${label} (since anchor)`;
  }
}

/** Row as a table names it: `ranker cuda b32 · latency p50`. */
export function checkLabel(row: Row): string {
  return `${shortCase(row.case)} · ${metricLabel(row)}`;
}
