import type { Note } from '../measure/measurement.ts';
import type { Outcome, Row, Status, Verdict } from './verdict.ts';

/** Code of a file's note that says why it holds nothing to judge though nothing went wrong. */
export const NOTHING_CHANGED = 'nothing-changed';

const UNDECIDED: ReadonlySet<Status> = new Set(['inconclusive', 'incomparable', 'no-baseline', 'missing', 'invalid']);

/** Gated rows by status. */
export function countRows(rows: readonly Row[]): Verdict['counts'] {
  const counts: Partial<Record<Status, number>> = {};
  for (const row of rows) if (row.role === 'gated') counts[row.status] = (counts[row.status] ?? 0) + 1;
  return counts;
}

/** Reduces rows to one outcome; without any gated row only a note that nothing changed makes it a pass. */
export function outcomeOf(rows: readonly Row[], notes: readonly Note[]): Outcome {
  const gated = rows.filter((row) => row.role === 'gated');
  if (gated.some((row) => row.status === 'regressed')) return 'fail';
  if (gated.some((row) => UNDECIDED.has(row.status))) return 'no-verdict';
  if (gated.length > 0) return 'pass';
  return rows.length === 0 && notes.some((note) => note.code === NOTHING_CHANGED) ? 'pass' : 'no-verdict';
}

/** What a reader must know first about the outcome as a whole. */
export function outcomeNotes(rows: readonly Row[], notes: readonly Note[]): Note[] {
  const gated = rows.filter((row) => row.role === 'gated');
  if (gated.length === 0) {
    if (rows.length === 0 && notes.some((note) => note.code === NOTHING_CHANGED)) return [];
    const text =
      rows.length === 0
        ? 'nothing was measured: no row to judge; check that the benchmark ran'
        : 'nothing is gated: every metric is informational; gate at least one in the config';
    return [{ code: 'nothing-gated', text, headline: true }];
  }
  if (!gated.every((row) => row.status === 'new')) return [];
  const models = new Set(gated.map((row) => row.case.split('/')[0]));
  const text = `${models.size} new model${models.size === 1 ? '' : 's'}, nothing to compare yet`;
  return [{ code: 'only-new-models', text, headline: true }];
}
