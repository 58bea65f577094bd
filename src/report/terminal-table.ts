import stringWidth from 'string-width';
import { NAME_LENGTH, terminalText } from './escape.ts';
import type { RowView } from './row-view.ts';
import type { Paint } from './terminal-paint.ts';

interface TextColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (view: RowView) => string;
}

const GAP = '  ';
const NARROWEST_CHECK = 24;
const COLUMNS: readonly TextColumn[] = [
  { title: 'base', align: 'right', cell: (view) => view.base },
  { title: 'head', align: 'right', cell: (view) => view.head },
  { title: 'change', align: 'right', cell: (view) => view.change },
  { title: '', align: 'left', cell: (view) => (view.interval === '' ? '' : `(${view.interval})`) },
  { title: 'allowed', align: 'right', cell: (view) => view.allowed },
  { title: 'could see', align: 'right', cell: (view) => view.visible },
  { title: '', align: 'left', cell: (view) => view.word },
];

/** Rows in aligned columns, or in two lines each where the screen is narrow. */
export function layOut(views: readonly RowView[], width: number, paint: Paint): readonly string[] {
  if (views.length === 0) return [];
  const checks = views.map((view) => terminalText(view.check, NAME_LENGTH));
  const cells = views.map((view) => COLUMNS.map((column) => terminalText(column.cell(view), NAME_LENGTH)));
  const widths = COLUMNS.map((column, at) => widest([column.title, ...cells.map((row) => row[at] ?? '')]));
  const rest = widths.reduce((sum, one) => sum + one + GAP.length, 0);
  const checkWidth = Math.min(widest(['check', ...checks]), Math.max(0, width - rest - 2));
  if (checkWidth < Math.min(NARROWEST_CHECK, widest(checks))) return stacked(views, checks, width, paint);
  const line = (check: string, row: readonly string[]): string =>
    [pad(check, checkWidth, 'left'), ...row.map((text, at) => pad(text, widths[at] ?? 0, COLUMNS[at]?.align ?? 'left'))]
      .join(GAP)
      .trimEnd();
  const head = paint.dim(
    `  ${line(
      'check',
      COLUMNS.map((column) => column.title),
    )}`,
  );
  return [
    head,
    ...views.map((view, at) => toned(view, paint)(`${signOf(view)} ${line(checks[at] ?? '', cells[at] ?? [])}`)),
  ];
}

function stacked(views: readonly RowView[], checks: readonly string[], width: number, paint: Paint): readonly string[] {
  return views.flatMap((view, at) => {
    const facts = [view.figures, view.word].filter((part) => part !== '').join(', ');
    return [
      toned(view, paint)(`${signOf(view)} ${cut(checks[at] ?? '', Math.max(8, width - 2))}`),
      `  ${terminalText(facts)}`,
    ];
  });
}

function signOf(view: RowView): string {
  switch (view.kind) {
    case 'regressed':
      return '✗';
    case 'undecided':
      return '?';
    case 'worse':
      return '!';
    case 'improved':
    case 'within':
      return '✓';
    case 'waived':
    case 'new':
    case 'shown':
      return ' ';
  }
}

function toned(view: RowView, paint: Paint): (text: string) => string {
  switch (view.kind) {
    case 'regressed':
      return paint.red;
    case 'undecided':
    case 'worse':
      return paint.yellow;
    case 'improved':
      return paint.green;
    case 'within':
    case 'waived':
    case 'new':
    case 'shown':
      return (text) => text;
  }
}

function widest(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, stringWidth(text)), 0);
}

function pad(text: string, width: number, align: 'left' | 'right'): string {
  const fitted = cut(text, width);
  const space = ' '.repeat(Math.max(0, width - stringWidth(fitted)));
  return align === 'left' ? fitted + space : space + fitted;
}

/** Text cut to `width` columns in the middle, so that the metric at the end of a long name stays readable. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  const characters = [...text];
  const keep = (count: number): string =>
    `${characters.slice(0, Math.ceil(count / 2)).join('')}…${characters.slice(characters.length - Math.floor(count / 2)).join('')}`;
  let count = Math.min(characters.length, width - 1);
  while (count > 0 && stringWidth(keep(count)) > width) count -= 1;
  return keep(count);
}
