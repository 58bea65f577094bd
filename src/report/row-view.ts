import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row } from '../verdict/verdict.ts';
import { formatChange, formatInterval, formatLimit, formatPair, formatQuantity, formatShare } from './number-format.ts';
import { type Kind, kindOf, worseChange } from './row-kind.ts';
import { checkLabel } from './row-label.ts';

/** One row as every report shows it: plain texts, which each renderer escapes in its own way. */
export interface RowView {
  readonly row: Row;
  readonly kind: Kind;
  readonly check: string;
  readonly base: string;
  readonly head: string;
  readonly change: string;
  /** `+6.9 … +9.3`, `at most +1.2 %` or empty. */
  readonly interval: string;
  /** Margin and limits: `3 %, max 12 ms`; `–` where the row is not judged. */
  readonly allowed: string;
  /** Smallest change this run could have proven; empty where not computable. */
  readonly visible: string;
  /** `4.02 → 4.35 ms, +8.1 % (+6.9 … +9.3), allowed 3 %`; empty where nothing was measured. */
  readonly figures: string;
  readonly mark: '❌' | '⚠️' | '✅' | '';
  readonly word: string;
}

/** Texts of one row. */
export function viewRow(row: Row): RowView {
  const isFault = row.metric === RUN_METRIC;
  return {
    row,
    kind: kindOf(row),
    check: checkLabel(row),
    base: isFault ? '–' : cell(row.base, row.unit),
    head: isFault ? '–' : cell(row.head, row.unit),
    change: isFault ? '–' : changeText(row),
    interval: formatInterval(row.interval),
    allowed: isFault ? '–' : allowedText(row),
    visible: row.detectable === null ? '' : formatShare(row.detectable),
    figures: isFault ? '' : figuresText(row),
    ...markOf(row),
  };
}

/** What was allowed for a row: its margin and absolute limits. */
export function allowedText(row: Row): string {
  const quantity = (name: string, value: number | null | undefined): string | null =>
    value === null || value === undefined ? null : `${name} ${formatLimit(value, row.unit)}`;
  const parts = [
    row.role === 'reported' || row.margin === null ? null : formatShare(row.margin),
    quantity('max', row.limit?.max),
    quantity('min', row.limit?.min),
    quantity('increase', row.limit?.maxIncrease),
  ].filter((part) => part !== null);
  return parts.length > 0 ? parts.join(', ') : '–';
}

function cell(value: number | null, unit: string): string {
  return value === null ? '–' : formatQuantity(value, unit);
}

function changeText(row: Row): string {
  if (row.change !== null) return formatChange(row.change);
  return row.base === null || row.head === null ? '–' : 'n/a';
}

function figuresText(row: Row): string {
  if (row.base === null && row.head === null) return '';
  const interval = formatInterval(row.interval);
  const allowed = allowedText(row);
  return [
    formatPair(row.base, row.head, row.unit),
    interval === '' ? changeText(row) : `${changeText(row)} (${interval})`,
    allowed === '–' ? '' : `allowed ${allowed}`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function markOf(row: Row): Pick<RowView, 'mark' | 'word'> {
  const kind = kindOf(row);
  switch (kind) {
    case 'regressed':
      return { mark: '❌', word: row.metric === RUN_METRIC ? 'does not run' : 'regressed' };
    case 'undecided':
      return { mark: '', word: undecidedWord(row) };
    case 'worse':
      return { mark: '⚠️', word: 'worse, advisory' };
    case 'improved':
      return { mark: '✅', word: 'improved' };
    case 'within':
      return { mark: '✅', word: row.status === 'unchanged' ? 'unchanged' : 'within' };
    case 'waived':
      return { mark: '', word: 'waived' };
    case 'new':
      return { mark: '', word: 'new' };
    case 'shown':
      return { mark: '', word: row.role === 'advisory' ? 'advisory' : 'shown' };
  }
}

function undecidedWord(row: Row): string {
  switch (row.status) {
    case 'incomparable':
      return 'not comparable';
    case 'no-baseline':
      return 'no baseline';
    case 'missing':
      return 'not measured';
    case 'invalid':
      return 'invalid';
    default: {
      const worse = worseChange(row);
      return worse !== null && row.margin !== null && worse > row.margin ? 'not yet proven' : 'not decided';
    }
  }
}
