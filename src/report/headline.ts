import { RefusedError } from '../errors.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import { PASS_UNDER_CHANGED_POLICY } from '../verdict/judge-change.ts';
import type { Outcome, Row, Verdict } from '../verdict/verdict.ts';
import { type Kind, kindOf } from './row-kind.ts';
import { parseCaseId } from './row-label.ts';

/** Code of the note that files changed which may change speed, though no arm differs. */
export const SPEED_FILES_NOTE = 'speed-files';

/** Sign of an outcome in Markdown. */
export function outcomeSign(outcome: Outcome): '✅' | '❌' | '⚠️' | '⛔' {
  switch (outcome) {
    case 'pass':
      return '✅';
    case 'fail':
      return '❌';
    case 'no-verdict':
      return '⚠️';
    case 'refused':
      return '⛔';
  }
}

/** Outcome in words. */
export function outcomeWord(outcome: Outcome): string {
  return outcome === 'no-verdict' ? 'no verdict' : outcome;
}

/**
 * Makes sure that a headline can't disagree with the rows below it.
 * @throws RefusedError where the outcome is greener or redder than the rows allow: no gate wrote such a verdict.
 */
export function refuseContradiction(verdict: Verdict): void {
  const gated = verdict.rows.filter((row) => row.role === 'gated');
  const hasRegression = gated.some((row) => row.status === 'regressed');
  const neverPass = ['regressed', 'missing', 'invalid', 'incomparable'];
  const blocking = gated.find((row) => neverPass.includes(row.status));
  if (verdict.outcome === 'pass' && blocking)
    throw new RefusedError(
      `the verdict says pass but holds a gated row that is ${blocking.status}: run the gate again`,
    );
  if (verdict.outcome === 'fail' && !hasRegression)
    throw new RefusedError('the verdict says fail but holds no gated row that regressed: run the gate again');
}

/** What happened, in one phrase counted from the rows: `1 regression in 12 checks`. */
export function headlineText(verdict: Verdict): string {
  const count = countKinds(verdict.rows);
  const notes = verdict.notes.filter((note) => note.headline);
  switch (verdict.outcome) {
    case 'pass':
      return passText(verdict, count);
    case 'fail':
      return failures(verdict.rows, ` in ${plural(checksIn(count), 'check')}`);
    case 'no-verdict':
      return noVerdictText(verdict, count, notes[0]?.text);
    case 'refused':
      return `refused: ${notes[0]?.text ?? verdict.notes[0]?.text ?? 'invalid input'}`;
  }
}

/** `1 check`, `2 checks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `12 checks within their margins`; `more` comes before the noun where others were named already. */
export function withinText(count: number, more: '' | 'more '): string {
  return `${plural(count, `${more}check`)} within ${count === 1 ? 'its margin' : 'their margins'}`;
}

function passText(verdict: Verdict, count: Record<Kind, number>): string {
  const isUnchanged = verdict.rows.every((row) => kindOf(row) !== 'within' || row.status === 'unchanged');
  const newModels = new Set(verdict.rows.filter((row) => row.status === 'new').map(modelOf)).size;
  const judged = [
    count.within > 0 && (isUnchanged ? `${plural(count.within, 'check')} unchanged` : withinText(count.within, '')),
    count.improved > 0 && `${count.improved} improved`,
    count.waived > 0 && `${count.waived} waived`,
    count.undecided > 0 && `${count.undecided} not decided`,
  ].filter((part) => part !== false);
  const policy = verdict.notes.some((entry) => entry.code === PASS_UNDER_CHANGED_POLICY);
  if (judged.length === 0 && newModels > 0) return `${plural(newModels, 'new model')}, nothing to compare yet`;
  if (judged.length === 0) return unmeasuredText(verdict);
  const text = [...judged, newModels > 0 && plural(newModels, 'new model')].filter((part) => part !== false).join(', ');
  return policy ? `pass under the policy changed here (${text})` : text;
}

function unmeasuredText(verdict: Verdict): string {
  const speedFiles = verdict.notes.find((note) => note.code === SPEED_FILES_NOTE);
  return speedFiles?.text ?? (verdict.rows.length === 0 ? 'no model changed' : 'nothing to compare');
}

function noVerdictText(verdict: Verdict, count: Record<Kind, number>, note: string | undefined): string {
  const checks = checksIn(count);
  const found = count.regressed > 0 ? `, ${failures(verdict.rows, '')}` : '';
  if (count.undecided > 0)
    return `no verdict, ${count.undecided} of ${plural(checks, 'check')} could not be decided${found}`;
  return `no verdict: ${note ?? verdict.notes[0]?.text ?? (checks === 0 ? 'nothing is gated' : 'see the notes')}${found}`;
}

function failures(rows: readonly Row[], ofChecks: string): string {
  const regressed = rows.filter((row) => kindOf(row) === 'regressed');
  const broken = regressed.filter((row) => row.metric === RUN_METRIC).length;
  const slips = regressed.length - broken;
  return [
    broken > 0 && `${plural(broken, 'case')} ${broken === 1 ? 'does' : 'do'} not run`,
    slips > 0 && `${plural(slips, 'regression')}${ofChecks}`,
  ]
    .filter((part) => part !== false)
    .join(' and ');
}

/** Checks are the gated rows: advisory, reported and new ones never count. */
function checksIn(count: Record<Kind, number>): number {
  return count.regressed + count.undecided + count.improved + count.waived + count.within;
}

function countKinds(rows: readonly Row[]): Record<Kind, number> {
  const count = { regressed: 0, undecided: 0, worse: 0, improved: 0, waived: 0, shown: 0, new: 0, within: 0 };
  for (const row of rows) count[kindOf(row)] += 1;
  return count;
}

function modelOf(row: Row): string {
  return parseCaseId(row.case)?.model ?? row.case;
}
