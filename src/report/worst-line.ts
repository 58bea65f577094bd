import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row, Verdict } from '../verdict/verdict.ts';
import { formatChange, formatInterval, formatPair } from './number-format.ts';
import { compareBySeverity, kindOf, worseChange, worstCase } from './row-kind.ts';
import { longCase, metricLabel } from './row-label.ts';
import { allowedText, viewRow } from './row-view.ts';

/** The one row a reader must know: `**subject** (detail): reason`. */
export interface WorstLine {
  readonly row: Row;
  readonly lead: string;
  readonly subject: string;
  readonly detail: string;
  readonly reason: string;
}

/** The worst row; in a pass the best news, else the row closest to its margin; null where none was judged. */
export function worstLine(verdict: Verdict): WorstLine | null {
  const [worst] = verdict.rows
    .filter((row) => kindOf(row) === 'regressed' || kindOf(row) === 'undecided')
    .sort(compareBySeverity);
  if (worst) return troubleLine(worst);
  const [best] = verdict.rows.filter((row) => kindOf(row) === 'improved').sort((a, b) => loss(a) - loss(b));
  if (best) return judgedLine(best, '');
  const [closest] = verdict.rows
    .filter((row) => kindOf(row) === 'within' && row.change !== null && (row.margin ?? 0) > 0)
    .sort((a, b) => headroom(a) - headroom(b));
  return closest ? judgedLine(closest, 'Closest to its margin: ') : null;
}

function troubleLine(row: Row): WorstLine {
  const { kind, word } = viewRow(row);
  const subject = `${longCase(row.case)}: ${metricLabel(row)}`;
  if (row.metric === RUN_METRIC)
    return { row, lead: '', subject: `${longCase(row.case)} ${word}`, detail: '', reason: row.reason };
  if (kind === 'regressed') return { ...judgedLine(row, ''), reason: row.interval === null ? row.reason : '' };
  const change = row.change === null ? '' : ` ${formatChange(row.change)}`;
  return { row, lead: '', subject: `${subject}${change}, ${word}`, detail: pairText(row), reason: row.reason };
}

function judgedLine(row: Row, lead: string): WorstLine {
  const improved = row.status === 'improved' ? ', improved' : '';
  const subject = `${longCase(row.case)}: ${metricLabel(row)} ${formatChange(row.change)}${improved}`;
  return { row, lead, subject, detail: facts(row), reason: '' };
}

function facts(row: Row): string {
  if (row.base === null && row.head === null) return '';
  const allowed = allowedText(row);
  const bounds = [boundText(row), allowed === '–' ? '' : `allowed ${allowed}`].filter((part) => part !== '');
  return [formatPair(row.base, row.head, row.unit), bounds.join(', ')].filter((part) => part !== '').join('; ');
}

/** Both values; the reason of an undecided row tells the rest. */
function pairText(row: Row): string {
  if (row.base === null && row.head === null) return '';
  return row.reason === '' ? facts(row) : formatPair(row.base, row.head, row.unit);
}

/** The end of the interval that carries the decision: how much at least where it regressed, at most where it passed. */
function boundText(row: Row): string {
  const [low, high] = row.interval ?? [null, null];
  const isRise = row.change !== null && row.change > 0;
  if (row.status === 'regressed' || row.status === 'improved') {
    if (isRise && low !== null) return `at least ${formatChange(low)}`;
    if (!isRise && high !== null) return `${formatChange(high)} or lower`;
  }
  if (row.status === 'pass' && row.better === 'lower' && high !== null) return `at most ${formatChange(high)}`;
  if (row.status === 'pass' && row.better === 'higher' && low !== null) return `at least ${formatChange(low)}`;
  const text = formatInterval(row.interval);
  return low !== null && high !== null ? `${text} %` : text;
}

function headroom(row: Row): number {
  return (row.margin ?? 0) - (worstCase(row) ?? worseChange(row) ?? 0);
}

function loss(row: Row): number {
  return worseChange(row) ?? 0;
}
