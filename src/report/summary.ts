import type { Verdict } from '../verdict/verdict.ts';
import { escapeMarkdown } from './escape.ts';
import { bytes } from './fit.ts';
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
import { SUMMARY_COLUMNS } from './markdown-table.ts';
import type { ReportOptions } from './report-options.ts';
import type { RestartTable } from './restart-table.ts';
import { tableModel } from './table-model.ts';

/** GitHub drops a job summary over 1 MiB without failing the job. */
const SUMMARY_LIMIT = 1_000_000;

/**
 * Job summary of a verdict, in Markdown; at most 1,000,000 bytes: all rows, reasons, facts, restart by restart.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function renderSummary(verdict: Verdict, options: ReportOptions = {}): string {
  const model = tableModel(verdict, options);
  const opening = openingParagraphs(model).join('\n\n');
  const end = footer(model, options);
  let room = SUMMARY_LIMIT - bytes(opening) - bytes(end);
  const take = (share: number, write: (budget: number) => string): string => {
    const part = write(Math.floor(room * share));
    room -= bytes(part) + 2;
    return part;
  };
  const table = (views: typeof model.visible, budget: number): string =>
    views.length === 0 ? '' : tableSection(views, SUMMARY_COLUMNS, budget, bytes, 'the verdict file');

  const worst = take(0.4, (budget) => table(model.visible, budget));
  const reasons = take(0.4, (budget) => reasonsSection(model, budget, bytes));
  const waive = take(0.5, (budget) => fits(folded('Waive or accept', waiveSection(model, options)), budget));
  const how = take(0.5, (budget) => howSection(model, budget, bytes));
  const facts = take(0.3, (budget) => fits(folded('Environment', factsTable(verdict)), budget));
  const trend = take(0.3, (budget) => fits(folded('Trend', trendSection(options.trend ?? [])), budget));
  const rest = take(0.7, (budget) => table(model.folded, budget - 200));
  const restarts = take(0.9, (budget) => restartSections(options.restartTables ?? [], budget));
  const titled = (title: string, body: string): string => (body === '' ? '' : `#### ${title}\n\n${body}`);
  return `${[
    opening,
    worst,
    titled('Why, row by row', reasons),
    waive,
    titled(model.foldedTitle, rest),
    trend,
    titled('How this was measured', how),
    facts,
    restarts,
    end,
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

function factsTable(verdict: Verdict): string {
  const { class: environmentClass, facts } = verdict.environment;
  const lines = Object.entries(facts).map(
    ([name, value]) => `| ${escapeMarkdown(name)} | ${value === null ? '–' : escapeMarkdown(String(value))} |`,
  );
  if (lines.length === 0) return '';
  return ['| fact | value |', '|---|---|', `| class | ${escapeMarkdown(environmentClass)} |`, ...lines].join('\n');
}

/** As many restart tables as fit, whole. */
function restartSections(tables: readonly RestartTable[], budget: number): string {
  const parts: string[] = [];
  let used = 0;
  for (const table of tables) {
    const part = restartSection(table);
    used += bytes(part) + 2;
    if (used > budget) break;
    parts.push(part);
  }
  return parts.length === 0 ? '' : folded('Restart by restart', parts.join('\n\n'));
}

function restartSection(table: RestartTable): string {
  const lines = table.rows.map(
    (row) =>
      `| ${[row.restart, row.base, row.head, row.change, row.note].map((text) => escapeMarkdown(text)).join(' | ')} |`,
  );
  const head = ['| restart | base | head | change | |', '|--:|--:|--:|--:|---|'];
  return [`**${escapeMarkdown(table.title)}**`, [...head, ...lines].join('\n')].join('\n\n');
}

function fits(part: string, budget: number): string {
  return bytes(part) <= budget ? part : '';
}
