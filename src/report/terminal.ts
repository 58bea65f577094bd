import type { Outcome, Verdict } from '../verdict/verdict.ts';
import { NAME_LENGTH, SENTENCE_LENGTH, terminalText } from './escape.ts';
import { outcomeWord, plural } from './headline.ts';
import { ACCEPT_COMMAND } from './next-step.ts';
import { writePhrase } from './phrase.ts';
import type { ReportOptions } from './report-options.ts';
import type { RowView } from './row-view.ts';
import { type TableModel, tableModel } from './table-model.ts';
import { type Paint, painter } from './terminal-paint.ts';
import { layOut } from './terminal-table.ts';
import { waiverYaml } from './waive.ts';

/** Where text goes: `width` in columns, and whether it understands ANSI colours. */
export interface Screen {
  readonly width: number;
  readonly colour: 'ansi' | 'none';
}

/** A pipe or file: wide, without colour. */
export const PLAIN_SCREEN: Screen = { width: 120, colour: 'none' };

const MOST_ROWS = 60;
const MOST_LINES = 10;

/**
 * Report for people in a terminal or log: outcome, worst row, next step, then a table; ends with a line break.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function renderTerminal(verdict: Verdict, options: ReportOptions = {}, screen: Screen = PLAIN_SCREEN): string {
  const model = tableModel(verdict, options);
  const paint = painter(screen.colour);
  const worthALine = [...model.visible, ...model.folded.filter(isWorthALine)];
  const shown = worthALine.slice(0, MOST_ROWS);
  const hidden = model.visible.length + model.folded.length - shown.length;
  const blocks = [
    opening(model, paint),
    layOut(shown, screen.width, paint),
    hidden > 0 ? [paint.dim(`… and ${plural(hidden, 'more row')} in the verdict file`)] : [],
    titled(
      'Why',
      model.reasons.map((reason) => `${reason.check}: ${reason.text}`),
      paint,
    ),
    waiveBlock(model, options, paint),
    titled('Notes', [...model.changes.map((change) => `changed: ${change}`), ...model.notes], paint),
    [model.how.join('; '), model.commits].filter((text) => text !== '').map((text) => paint.dim(terminalText(text))),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** Figures that decide nothing are left to the files, but for throughput, which everybody asks for. */
function isWorthALine(view: RowView): boolean {
  return view.kind !== 'shown' || view.row.metric === 'throughput';
}

function opening(model: TableModel, paint: Paint): readonly string[] {
  const word = outcomeWord(model.outcome).toUpperCase();
  const remark = model.remark === '' ? '' : `${terminalText(model.remark)}: `;
  const headline = terminalText(withoutOutcome(model.headline, model.outcome));
  return [
    `${remark}${outcomePaint(model.outcome, paint)(word)}  ${headline}`,
    ...model.firstNotes.filter((note) => !model.headline.includes(note)).map((note) => terminalText(note)),
    worstText(model, paint),
    model.next === null ? '' : `Next: ${writePhrase(model.next, (code) => paint.bold(terminalText(code)))}`,
    model.attempts,
  ].filter((line) => line !== '');
}

function worstText(model: TableModel, paint: Paint): string {
  if (model.worst === null) return '';
  const { lead, subject, detail, reason } = model.worst;
  const facts = detail === '' ? '' : ` (${terminalText(detail)})`;
  const why = reason === '' ? '' : `: ${terminalText(reason)}`;
  return `${lead}${paint.bold(terminalText(subject))}${facts}${why}`;
}

/** The outcome stands before the headline already. */
function withoutOutcome(headline: string, outcome: Outcome): string {
  const word = outcomeWord(outcome);
  return headline.startsWith(word) ? headline.slice(word.length).replace(/^[:,]? /, '') : headline;
}

function titled(title: string, texts: readonly string[], paint: Paint): readonly string[] {
  if (texts.length === 0) return [];
  const lines = texts.slice(0, MOST_LINES).map((text) => `  ${terminalText(text, SENTENCE_LENGTH)}`);
  const hidden = texts.length - lines.length;
  return [paint.bold(title), ...lines, ...(hidden > 0 ? [`  … and ${hidden} more`] : [])];
}

function waiveBlock(model: TableModel, options: ReportOptions, paint: Paint): readonly string[] {
  if (model.waivers.length + model.unwaivable.length === 0) return [];
  const path = terminalText(options.configPath ?? '.github/model-gate.yml', NAME_LENGTH);
  const yaml = model.waivers.length === 0 ? [] : waiverYaml(model.waivers.slice(0, MOST_LINES)).trimEnd().split('\n');
  const hidden = model.waivers.length - MOST_LINES;
  return [
    ...(yaml.length > 0
      ? [paint.bold(`Waive in ${path}`), ...yaml.map((line) => `  ${/^ */.exec(line)?.[0]}${terminalText(line)}`)]
      : []),
    ...(hidden > 0 ? [`  … and ${hidden} more`] : []),
    ...model.unwaivable.slice(0, MOST_LINES).map((text) => terminalText(text)),
    `${paint.bold('Or accept head as the baseline')}: ${ACCEPT_COMMAND}`,
  ];
}

function outcomePaint(outcome: Outcome, paint: Paint): (text: string) => string {
  switch (outcome) {
    case 'pass':
      return paint.green;
    case 'fail':
    case 'refused':
      return paint.red;
    case 'no-verdict':
      return paint.yellow;
  }
}
