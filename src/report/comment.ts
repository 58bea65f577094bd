import type { Verdict } from '../verdict/verdict.ts';
import { link } from './escape.ts';
import { characters } from './fit.ts';
import {
  folded,
  footer,
  howSection,
  openingParagraphs,
  reasonsSection,
  tableSection,
  trendSection,
  waiveSection,
} from './markdown-sections.ts';
import { COMMENT_COLUMNS } from './markdown-table.ts';
import type { ReportOptions } from './report-options.ts';
import { tableModel } from './table-model.ts';

/** GitHub refuses comments over 65,536 characters; the rest is left to whoever adds a line. */
const COMMENT_LIMIT = 64_000;
/** Worst rows shown at once, and rows few enough to show without a click. */
const OPEN_ROWS = 30;
const FEW_ROWS = 8;

/**
 * Pull request comment of a verdict, in Markdown; at most 64,000 characters, the verdict and the worst rows always kept.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function renderComment(verdict: Verdict, options: ReportOptions = {}): string {
  const model = tableModel(verdict, options);
  const opening = [options.marker ?? '', ...openingParagraphs(model)].filter((part) => part !== '').join('\n\n');
  const end = footer(model, options);
  let room = COMMENT_LIMIT - opening.length - end.length;
  const take = (share: number, write: (budget: number) => string): string => {
    const part = write(Math.floor(room * share));
    room -= part.length + 2;
    return part;
  };
  const elsewhere =
    options.workflowUrl === undefined ? 'the job summary' : link('the job summary', options.workflowUrl);
  const table = (views: typeof model.visible, budget: number): string =>
    views.length === 0 ? '' : tableSection(views, COMMENT_COLUMNS, budget, characters, elsewhere);

  const worst = take(0.5, (budget) => table(model.visible.slice(0, OPEN_ROWS), budget));
  const reasons = take(0.3, (budget) => folded('Why, row by row', reasonsSection(model, budget, characters)));
  const waive = take(0.5, (budget) => fits(folded('Waive or accept', waiveSection(model, options)), budget));
  const how = take(0.3, (budget) => folded('How this was measured', howSection(model, budget, characters)));
  const trend = take(0.4, (budget) => fits(folded('Trend', trendSection(options.trend ?? [])), budget));
  const more = take(0.5, (budget) =>
    folded('More rows to look at', table(model.visible.slice(OPEN_ROWS), budget - 100)),
  );
  const isShort = model.visible.length === 0 && model.folded.length <= FEW_ROWS;
  const rest = take(0.98, (budget) =>
    folded(model.foldedTitle, table(model.folded, budget - 100), isShort ? ' open' : ''),
  );
  return `${[opening, worst, more, reasons, waive, rest, trend, how, end].filter((part) => part !== '').join('\n\n')}\n`;
}

/** The whole part or nothing: half a code block is worse than none. */
function fits(part: string, budget: number): string {
  return part.length <= budget ? part : '';
}
