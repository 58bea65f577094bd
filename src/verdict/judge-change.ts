import type { GateConfig } from '../inputs/gate-config.ts';
import type { Measurement, Note } from '../measure/measurement.ts';
import { judge } from './judge.ts';
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
 * The verdict under the policy in force. Where the change edits the policy it is judged under both, and a pass
 * that only the edited one gives is said in the first line: nothing is lowered silently.
 */
export function judgeChange({ inForce, beforeChange, ...files }: ChangeJudgement): Verdict {
  const verdict = judge({ ...files, config: inForce });
  if (beforeChange === null) return verdict;
  const before = judge({ ...files, config: beforeChange });
  const note = noteOn(verdict, before);
  return note === null ? verdict : { ...verdict, notes: [note, ...verdict.notes] };
}

/** Code of the note that only the policy edited in this very change lets it pass. */
export const PASS_UNDER_CHANGED_POLICY = 'pass-under-changed-policy';

function noteOn(verdict: Verdict, before: Verdict): Note | null {
  if (verdict.outcome === before.outcome) return null;
  const text = `${verdict.outcome} under the policy changed here; under the policy before this change: ${before.outcome}`;
  const code = verdict.outcome === 'pass' ? PASS_UNDER_CHANGED_POLICY : 'policy-changed';
  return { code, text, headline: true };
}
