import { codeBlock, codeSpan, escapeMarkdown, link, SENTENCE_LENGTH } from './escape.ts';
import { fitLines, type SizeOf } from './fit.ts';
import { outcomeSign, plural } from './headline.ts';
import { type Column, tableHead, tableLine } from './markdown-table.ts';
import { ACCEPT_COMMAND } from './next-step.ts';
import { writePhrase } from './phrase.ts';
import type { ReportOptions } from './report-options.ts';
import type { RowView } from './row-view.ts';
import type { TableModel } from './table-model.ts';
import { type Trend, trendChart } from './trend-chart.ts';
import { waiverYaml } from './waive.ts';

const MOST_FIRST_NOTES = 5;
const MOST_WAIVERS = 10;
const MOST_TRENDS = 3;

/** Outcome, what a reader must know first, worst row, what to do next: paragraphs of bounded size. */
export function openingParagraphs(model: TableModel): readonly string[] {
  const remark = model.remark === '' ? '' : `${escapeMarkdown(capitalised(model.remark))} · `;
  const notes = model.firstNotes.slice(0, MOST_FIRST_NOTES).filter((note) => !model.headline.includes(note));
  const hidden = model.firstNotes.length - MOST_FIRST_NOTES;
  return [
    `### ${remark}${outcomeSign(model.outcome)} Model Gate: ${escapeMarkdown(model.headline)}`,
    ...notes.map((note) => `> ${escapeMarkdown(note)}`),
    hidden > 0 ? `> and ${hidden} more, see the notes below` : '',
    worstParagraph(model),
    model.next === null ? '' : `Next: ${writePhrase(model.next, codeSpan)}`,
    model.attempts === '' ? '' : `<sub>${model.attempts}</sub>`,
  ].filter((paragraph) => paragraph !== '');
}

/** A table that stays within `budget`, with a line that says how many rows were left out and are `elsewhere`. */
export function tableSection(
  views: readonly RowView[],
  columns: readonly Column[],
  budget: number,
  sizeOf: SizeOf,
  elsewhere: string,
): string {
  const head = tableHead(columns);
  const lines = views.map((view) => tableLine(view, columns));
  const { kept, left } = fitLines(lines, budget - sizeOf(head.join('\n')) - 300, sizeOf);
  if (kept.length === 0) return leftOut(left, elsewhere);
  return [[...head, ...kept].join('\n'), leftOut(left, elsewhere)].filter((part) => part !== '').join('\n\n');
}

/** A folded section; the title is our own text, the body Markdown. */
export function folded(title: string, body: string, open: '' | ' open' = ''): string {
  return body === '' ? '' : `<details${open}><summary>${title}</summary>\n\n${body}\n\n</details>`;
}

/** Why rows are what they are. */
export function reasonsSection(model: TableModel, budget: number, sizeOf: SizeOf): string {
  const lines = model.reasons.map(
    (reason) => `- **${escapeMarkdown(reason.check)}**: ${escapeMarkdown(reason.text, SENTENCE_LENGTH)}`,
  );
  return bullets(lines, budget, sizeOf);
}

/** The YAML that would waive the failed rows and the command that would accept them. */
export function waiveSection(model: TableModel, options: ReportOptions): string {
  if (model.waivers.length + model.unwaivable.length === 0) return '';
  const path = options.configPath ?? '.github/model-gate.yml';
  const entries = model.waivers.slice(0, MOST_WAIVERS);
  const hidden = model.waivers.length - entries.length;
  return [
    entries.length > 0 ? `Waive in ${codeSpan(path)}, with your reason and an end date:` : '',
    entries.length > 0 ? codeBlock('yaml', waiverYaml(entries)) : '',
    hidden > 0 ? `${plural(hidden, 'more row')} failed: fix these first, or accept.` : '',
    ...model.unwaivable.slice(0, MOST_WAIVERS).map((text) => `- ${escapeMarkdown(text)}`),
    `Or accept all of head as the new baseline: ${codeSpan(ACCEPT_COMMAND)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** How it was measured, what changed and what to know about it. */
export function howSection(model: TableModel, budget: number, sizeOf: SizeOf): string {
  const lines = [
    ...model.firstNotes.slice(MOST_FIRST_NOTES).map((note) => `- ${escapeMarkdown(note)}`),
    ...model.changes.map((change) => `- Changed: ${escapeMarkdown(change)}`),
    ...model.notes.map((note) => `- ${escapeMarkdown(note)}`),
  ];
  return [escapeMarkdown(model.how.join('; ')), bullets(lines, budget, sizeOf)]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** Charts of the last sessions. */
export function trendSection(trends: readonly Trend[]): string {
  const charts = trends.slice(0, MOST_TRENDS).flatMap((trend) => trendChart(trend) ?? []);
  return charts.map((chart) => codeBlock('mermaid', chart)).join('\n\n');
}

/** Commits and links, small. */
export function footer(model: TableModel, options: ReportOptions): string {
  const parts = [
    escapeMarkdown(model.commits),
    options.workflowUrl === undefined ? '' : link('run', options.workflowUrl),
    options.detailsUrl === undefined ? '' : link('verdict file', options.detailsUrl),
    options.docsUrl === undefined ? '' : link('how it decides', options.docsUrl),
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function worstParagraph(model: TableModel): string {
  if (model.worst === null) return '';
  const { lead, subject, detail, reason } = model.worst;
  const facts = detail === '' ? '' : ` (${escapeMarkdown(detail)})`;
  const why = reason === '' ? '' : `: ${escapeMarkdown(reason)}`;
  return `${escapeMarkdown(lead)}${lead === '' ? '' : ' '}**${escapeMarkdown(subject)}**${facts}${why}`;
}

function leftOut(left: number, elsewhere: string): string {
  return left === 0 ? '' : `${plural(left, 'more row')} left out here: see ${elsewhere}.`;
}

function bullets(lines: readonly string[], budget: number, sizeOf: SizeOf): string {
  const { kept, left } = fitLines(lines, budget - 100, sizeOf);
  return [...kept, ...(left > 0 ? [`- … and ${left} more`] : [])].join('\n');
}
