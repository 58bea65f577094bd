import { stringify } from 'yaml';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row } from '../verdict/verdict.ts';
import { terminalText } from './escape.ts';
import { isBeyondLimit, worseChange } from './row-kind.ts';
import { checkLabel, parseCaseId } from './row-label.ts';

/** A waiver as the config takes it. */
export interface WaiverEntry {
  readonly model: string;
  readonly metric: string;
  readonly case: string;
  readonly ceiling: string;
  readonly until: string;
  readonly reason: string;
}

/** The waiver that would let a failed row through, or why no waiver can. */
export type Waivable = { readonly entry: WaiverEntry } | { readonly refusal: string };

/** Waiver of one regressed row; `until` is a date such as `2027-01-31`. */
export function waiverFor(row: Row, until: string): Waivable {
  const model = parseCaseId(row.case)?.model;
  const ceiling = ceilingOf(row);
  if (row.metric === RUN_METRIC) return refuse(row, 'head must run first');
  if (isBeyondLimit(row)) return refuse(row, 'an absolute limit is not waived but changed in the config');
  if (ceiling === null) return refuse(row, 'its change has no percentage');
  if (model === undefined || [row.case, row.metric].some((name) => terminalText(name) !== name))
    return refuse(row, 'its name does not fit a config');
  return { entry: { model, metric: row.metric, case: row.case, ceiling, until, reason: 'why this is acceptable' } };
}

/** The config lines that hold `entries`, ready to paste. */
export function waiverYaml(entries: readonly WaiverEntry[]): string {
  return stringify({ waivers: entries }, { lineWidth: 0, blockQuote: false });
}

/** First whole percentage above all that the interval allows, in the worse direction of base. */
function ceilingOf(row: Row): string | null {
  const change = worseChange(row);
  if (change === null) return null;
  const end = row.interval?.[row.better === 'lower' ? 1 : 0] ?? null;
  // A drop of a higher-is-better value costs 1/(1+drop) - 1 in the log scale in which margins are judged.
  const bound = end === null ? change * 1.1 : row.better === 'lower' ? end : 1 / (1 + end) - 1;
  return Number.isFinite(bound) ? `${Math.floor(Math.max(bound, change) * 100) + 1}%` : null;
}

function refuse(row: Row, why: string): Waivable {
  return { refusal: `${checkLabel(row)}: no waiver helps, ${why}` };
}
