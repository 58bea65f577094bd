import { escapeMarkdown, NAME_LENGTH } from './escape.ts';
import type { RowView } from './row-view.ts';

/** One column of a Markdown table; `align` as GFM writes it. */
export interface Column {
  readonly title: string;
  readonly align: '---' | '--:' | ':-:';
  readonly cell: (view: RowView) => string;
}

const CHECK: Column = { title: 'check', align: '---', cell: (view) => escapeMarkdown(view.check, NAME_LENGTH) };
const BASE: Column = { title: 'base', align: '--:', cell: (view) => figure(view.base) };
const HEAD: Column = { title: 'head', align: '--:', cell: (view) => figure(view.head) };
const CHANGE: Column = { title: 'change', align: '--:', cell: changeCell };
const ALLOWED: Column = { title: 'allowed', align: '--:', cell: (view) => figure(view.allowed) };
const MARK: Column = { title: '', align: ':-:', cell: markCell };

/** Six columns: what fits a phone. */
export const COMMENT_COLUMNS: readonly Column[] = [CHECK, BASE, HEAD, CHANGE, ALLOWED, MARK];

/** All that is known of a row. */
export const SUMMARY_COLUMNS: readonly Column[] = [
  CHECK,
  BASE,
  HEAD,
  CHANGE,
  ALLOWED,
  { title: 'could see', align: '--:', cell: (view) => figure(view.visible) },
  { title: 'restarts', align: '--:', cell: (view) => (view.row.restarts === 0 ? '' : String(view.row.restarts)) },
  MARK,
];

/** The two lines that open a table. */
export function tableHead(columns: readonly Column[]): readonly string[] {
  return [line(columns.map((column) => column.title)), `|${columns.map((column) => column.align).join('|')}|`];
}

/** One row of a table; every cell stays one line whatever the names in it are. */
export function tableLine(view: RowView, columns: readonly Column[]): string {
  return line(columns.map((column) => column.cell(view)));
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function changeCell(view: RowView): string {
  const change = view.kind === 'regressed' ? `**${figure(view.change)}**` : figure(view.change);
  return view.interval === '' ? change : `${change} (${figure(view.interval)})`;
}

function markCell(view: RowView): string {
  switch (view.kind) {
    case 'improved':
      return `${view.mark} ${view.word}`;
    case 'regressed':
    case 'worse':
      return view.mark;
    case 'within':
      return view.row.status === 'unchanged' ? view.word : view.mark;
    default:
      return view.word;
  }
}

/** A figure and its unit never part at a line's end. */
function figure(text: string): string {
  return escapeMarkdown(text, NAME_LENGTH).replaceAll(' ', '\u00a0');
}
