import type { GateConfig } from '../inputs/gate-config.ts';
import type { Note } from '../measure/measurement.ts';
import { type JudgeRequest, judge } from './judge.ts';
import type { Verdict } from './verdict.ts';

/** Code of the note that a pass holds only under the policy this change edits. */
export const CHANGED_POLICY_NOTE = 'pass-under-changed-policy';

/** Code of the note that lists what base's policy says of each row it judges otherwise. */
export const OTHER_POLICY_NOTE = 'rows-under-base-policy';

/** The policies a change is judged by. */
export interface PolicyPair {
  readonly inForce: GateConfig;
  /** Base's policy where the change edits it; null where both are the same. */
  readonly beforeChange: GateConfig | null;
}

/** Judges by the policy in force; where the change edits it, by base's policy too, and says where they differ. */
export function judgeUnderPolicies(request: Omit<JudgeRequest, 'config'>, policies: PolicyPair): Verdict {
  const { inForce, beforeChange } = policies;
  return beforeChange === null
    ? judge({ ...request, config: inForce })
    : judgeUnderBoth(beforeChange, inForce, request);
}

/** The verdict under the new policy, with notes on what the old one says. */
export function judgeUnderBoth(before: GateConfig, now: GateConfig, request: Omit<JudgeRequest, 'config'>): Verdict {
  const verdict = judge({ ...request, config: now });
  const previous = judge({ ...request, config: before });
  return { ...verdict, notes: [...policyNotes(verdict, previous), ...verdict.notes] };
}

function policyNotes(verdict: Verdict, previous: Verdict): Note[] {
  const differing = previous.rows.flatMap((row) => {
    const now = verdict.rows.find(
      (other) => other.case === row.case && other.metric === row.metric && other.comparison === row.comparison,
    );
    if (now && now.status === row.status && now.role === row.role) return [];
    return [
      `${row.case} ${row.metric}: ${row.status} (${row.role}) before, ${now ? `${now.status} (${now.role})` : 'not listed'} now`,
    ];
  });
  const notes: Note[] = [];
  if (verdict.outcome === 'pass' && previous.outcome !== 'pass') {
    const text = `pass under the policy changed here; under base's policy the outcome is ${previous.outcome}`;
    notes.push({ code: CHANGED_POLICY_NOTE, text, headline: true });
  }
  if (differing.length > 0) {
    const text = `under base's policy (outcome ${previous.outcome}): ${differing.join('; ')}`;
    notes.push({ code: OTHER_POLICY_NOTE, text });
  }
  return notes;
}
