import { RefusedError } from '../errors.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import type { Measurement, Note } from '../measure/measurement.ts';
import { type JudgeRequest, judge } from './judge.ts';
import type { Row, Verdict } from './verdict.ts';

export interface ChangeJudgement {
  readonly base: Measurement | null;
  readonly head: Measurement;
  /** The policy in force: the one of head's config, or base's for a fork. */
  readonly inForce: GateConfig;
  /** Base's policy where the change edits it: it is judged too. */
  readonly beforeChange: GateConfig | null;
  readonly today: string;
  readonly storedRows?: readonly Row[];
}

/**
 * The verdict under the policy in force. Where the change edits the policy it is judged under both: a pass that only
 * the edited one gives is said in the first line, and every row that base's policy judges otherwise is listed.
 */
export function judgeChange({ inForce, beforeChange, ...files }: ChangeJudgement): Verdict {
  const verdict = judge({ ...files, config: inForce });
  if (beforeChange === null) return verdict;
  const before = judgeOrRefusal({ ...files, config: beforeChange });
  if (typeof before === 'string') {
    const text = `the policy before this change does not fit these files: ${before}`;
    return { ...verdict, notes: [{ code: 'policy-changed', text, headline: true }, ...verdict.notes] };
  }
  return { ...verdict, notes: [...outcomeNote(verdict, before), ...verdict.notes, ...rowsNote(verdict, before)] };
}

/** The verdict, or why the config was refused: an old policy may name what the change removes. */
function judgeOrRefusal(request: JudgeRequest): Verdict | string {
  try {
    return judge(request);
  } catch (thrown) {
    if (thrown instanceof RefusedError) return thrown.message;
    throw thrown;
  }
}

/** Code of the note that only the policy edited in this very change lets it pass. */
export const PASS_UNDER_CHANGED_POLICY = 'pass-under-changed-policy';

function outcomeNote(verdict: Verdict, before: Verdict): Note[] {
  if (verdict.outcome === before.outcome) return [];
  const text = `${verdict.outcome} under the policy changed here; under the policy before this change: ${before.outcome}`;
  const code = verdict.outcome === 'pass' ? PASS_UNDER_CHANGED_POLICY : 'policy-changed';
  return [{ code, text, headline: true }];
}

function rowsNote(verdict: Verdict, before: Verdict): Note[] {
  const now = new Map(verdict.rows.map((row) => [keyOf(row), row]));
  const differing = before.rows.flatMap((row) => {
    const other = now.get(keyOf(row));
    if (other && other.status === row.status && other.role === row.role) return [];
    return [
      `${row.case} ${row.metric} ${row.status} (${row.role}), now ${other ? `${other.status} (${other.role})` : 'not listed'}`,
    ];
  });
  if (differing.length === 0) return [];
  const text = `under the policy before this change: ${differing.join('; ')}`;
  return [{ code: 'rows-under-other-policy', text }];
}

function keyOf(row: Row): string {
  return JSON.stringify([row.case, row.metric, row.comparison]);
}
