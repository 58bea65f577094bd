import type { Note } from '../measure/measurement.ts';
import type { Outcome, Row, Verdict } from '../verdict/verdict.ts';
import { headlineText, outcomeWord, plural, refuseContradiction, withinText } from './headline.ts';
import { howMeasured } from './how-measured.ts';
import { nextStep } from './next-step.ts';
import type { Phrase } from './phrase.ts';
import type { ReportOptions } from './report-options.ts';
import { kindOf } from './row-kind.ts';
import { checkLabel } from './row-label.ts';
import { orderRows } from './row-order.ts';
import { type RowView, viewRow } from './row-view.ts';
import { type WaiverEntry, waiverFor } from './waive.ts';
import { type WorstLine, worstLine } from './worst-line.ts';

/** Everything a report says, as plain texts that each renderer escapes in its own way. */
export interface TableModel {
  readonly outcome: Outcome;
  readonly enforced: boolean;
  /** Said before all else, as `not enforced`; empty where the step follows the outcome. */
  readonly remark: string;
  readonly headline: string;
  /** What a reader must know first, as a signature change. */
  readonly firstNotes: readonly string[];
  readonly worst: WorstLine | null;
  readonly next: Phrase | null;
  /** `attempt 3; earlier: no verdict, fail`; empty for a first attempt. */
  readonly attempts: string;
  readonly visible: readonly RowView[];
  readonly folded: readonly RowView[];
  readonly foldedTitle: string;
  /** Why the rows that failed, were not decided or need attention are what they are, worst first. */
  readonly reasons: readonly Reason[];
  readonly waivers: readonly WaiverEntry[];
  readonly unwaivable: readonly string[];
  readonly how: readonly string[];
  readonly changes: readonly string[];
  readonly notes: readonly string[];
  readonly commits: string;
}

export interface Reason {
  readonly check: string;
  readonly text: string;
}

/**
 * The report of a verdict: headline and rows come from the same rows, so they can't disagree.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function tableModel(verdict: Verdict, options: ReportOptions = {}): TableModel {
  refuseContradiction(verdict);
  const { visible, folded } = orderRows(verdict.rows);
  const worst = worstLine(verdict);
  const failed = visible.filter((row) => kindOf(row) === 'regressed');
  const waivable = failed.map((row) => waiverFor(row, options.waiveUntil ?? 'YYYY-MM-DD'));
  const rest = verdict.notes.filter((note) => !note.headline);
  return {
    outcome: verdict.outcome,
    enforced: options.enforced ?? true,
    remark: options.remark ?? (options.enforced === false ? 'not enforced' : ''),
    headline: headlineText(verdict),
    firstNotes: unique(verdict.notes.filter((note) => note.headline).map((note) => note.text)),
    worst,
    next: nextStep(verdict, worst?.row ?? null, options.modelPaths ?? {}),
    attempts: attemptsText(options.attempts ?? []),
    visible: visible.map(viewRow),
    folded: folded.map(viewRow),
    foldedTitle: foldedTitle(visible, folded),
    reasons: visible
      .filter((row) => needsReason(row) && !(row === worst?.row && worst.reason !== ''))
      .map((row) => ({ check: checkLabel(row), text: row.reason })),
    waivers: waivable.flatMap((one) => ('entry' in one ? [one.entry] : [])),
    unwaivable: waivable.flatMap((one) => ('refusal' in one ? [one.refusal] : [])),
    how: howMeasured(verdict),
    changes: unique(rest.filter(isChange).map((note) => note.text)),
    notes: unique([...rest.filter((note) => !isChange(note)).map((note) => note.text), ...rowWarnings(verdict.rows)]),
    commits: commitsText(verdict),
  };
}

/** What differs between the arms beside the bytes: runtime, options, provider libraries. */
function isChange(note: Note): boolean {
  return note.code === 'arms-differ';
}

function needsReason(row: Row): boolean {
  return row.reason !== '' && ['regressed', 'undecided', 'worse', 'waived'].includes(kindOf(row));
}

/** Warnings of rows, once each, with the rows that have it. */
function rowWarnings(rows: readonly Row[]): readonly string[] {
  const checks = new Map<string, string[]>();
  for (const row of rows)
    for (const warning of row.warnings) {
      const known = checks.get(warning.text);
      if (known) known.push(checkLabel(row));
      else checks.set(warning.text, [checkLabel(row)]);
    }
  return [...checks].map(([text, [first = '', ...more]]) => {
    const others = more.length > 0 ? ` and ${plural(more.length, 'more row')}` : '';
    return `${first}${others}: ${text}`;
  });
}

function foldedTitle(visible: readonly Row[], folded: readonly Row[]): string {
  const within = folded.filter((row) => kindOf(row) === 'within');
  const fresh = folded.filter((row) => kindOf(row) === 'new').length;
  const shown = folded.length - within.length - fresh;
  const more = visible.some((row) => kindOf(row) === 'within') ? 'more ' : '';
  const isUnchanged = within.every((row) => row.status === 'unchanged');
  return [
    within.length > 0 &&
      (isUnchanged ? `${plural(within.length, `${more}check`)} unchanged` : withinText(within.length, more)),
    fresh > 0 && `${fresh} new`,
    shown > 0 && `${plural(shown, 'value')} shown only`,
  ]
    .filter((part) => part !== false)
    .join(', ');
}

function attemptsText(earlier: readonly Outcome[]): string {
  return earlier.length === 0 ? '' : `attempt ${earlier.length + 1}; earlier: ${earlier.map(outcomeWord).join(', ')}`;
}

function commitsText(verdict: Verdict): string {
  const side = (name: string, commit: string | null): string =>
    commit === null ? '' : `${name} ${commit.slice(0, 7)}`;
  return [side('head', verdict.head.commit), side('base', verdict.base.commit)]
    .filter((part) => part !== '')
    .join(' · ');
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
