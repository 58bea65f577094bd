import type { Outcome, Status, Verdict } from './verdict.ts';

/** How the user wants an outcome to act; the verdict itself does not depend on it. */
export interface Enforcement {
  /** `pass` excuses rows that are inconclusive or lack a baseline, and nothing else. */
  readonly onNoVerdict: 'fail' | 'pass';
  /** `false` keeps the outcome but lets the step succeed: the way to adopt the gate. */
  readonly enforce: boolean;
}

/** What the step does with a verdict. */
export interface EffectiveOutcome {
  readonly outcome: Outcome;
  readonly step: 'success' | 'failure';
  /** First line of every output where the step does not follow the outcome; null where it does. */
  readonly notice: string | null;
}

const EXCUSABLE: ReadonlySet<Status> = new Set(['inconclusive', 'no-baseline']);
const OPEN: ReadonlySet<Status> = new Set(['inconclusive', 'incomparable', 'no-baseline', 'missing', 'invalid']);

/** The step's result: refused input always fails it, a pass never does. */
export function effectiveOutcome(verdict: Verdict, { onNoVerdict, enforce }: Enforcement): EffectiveOutcome {
  const { outcome } = verdict;
  if (outcome === 'pass') return { outcome, step: 'success', notice: null };
  if (outcome === 'refused') return { outcome, step: 'failure', notice: null };
  if (!enforce) return { outcome, step: 'success', notice: `not enforced: the outcome is ${outcome}` };
  if (outcome === 'no-verdict' && onNoVerdict === 'pass' && isExcusable(verdict)) {
    return { outcome, step: 'success', notice: 'no verdict, let through by on-no-verdict: pass' };
  }
  return { outcome, step: 'failure', notice: null };
}

function isExcusable({ rows }: Verdict): boolean {
  const open = rows.filter((row) => row.role === 'gated' && OPEN.has(row.status));
  return open.length > 0 && open.every((row) => EXCUSABLE.has(row.status));
}
