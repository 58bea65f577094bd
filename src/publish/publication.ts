import type { ReportTexts } from '../report/render-reports.ts';
import { exitCodeOf, type Status, type Verdict } from '../verdict/verdict.ts';
import type { Publication } from './publisher.ts';

/** What a workflow says about bad outcomes. */
export interface StepPolicy {
  readonly enforce: boolean;
  readonly 'on-no-verdict': 'fail' | 'pass';
}

/** How the step and the commit status end. */
export interface StepConclusion {
  readonly exitCode: number;
  readonly state: Publication['state'];
  /** Said before the headline where the step succeeds although the outcome is not `pass`. */
  readonly remark: 'not enforced' | 'accepted by on-no-verdict: pass' | null;
}

const EXCUSABLE: readonly Status[] = ['inconclusive', 'no-baseline'];
const INEXCUSABLE: readonly Status[] = ['incomparable', 'missing', 'invalid'];

/** The end of a step. A refused input is no verdict that could go unenforced: it fails the step in any case. */
export function concludeStep(verdict: Verdict, policy: StepPolicy): StepConclusion {
  const exitCode = exitCodeOf(verdict.outcome);
  switch (verdict.outcome) {
    case 'pass':
      return { exitCode, state: 'success', remark: null };
    case 'refused':
      return { exitCode, state: 'error', remark: null };
    case 'fail':
      return policy.enforce ? { exitCode, state: 'failure', remark: null } : UNENFORCED;
    case 'no-verdict':
      if (!policy.enforce) return UNENFORCED;
      return policy['on-no-verdict'] === 'pass' && isExcusable(verdict)
        ? { exitCode: 0, state: 'success', remark: 'accepted by on-no-verdict: pass' }
        : { exitCode, state: 'error', remark: null };
  }
}

const UNENFORCED: StepConclusion = { exitCode: 0, state: 'success', remark: 'not enforced' };

/** Noise and a missing baseline can be excused; what was not measured, or can't be compared, never. */
function isExcusable({ counts }: Verdict): boolean {
  const some = (statuses: readonly Status[]) => statuses.some((status) => (counts[status] ?? 0) > 0);
  return some(EXCUSABLE) && !some(INEXCUSABLE);
}

/** What is published of a verdict whose reports are rendered. */
export function publicationOf(verdict: Verdict, texts: ReportTexts, { state, remark }: StepConclusion): Publication {
  const isSaid = remark === null || texts.headline.startsWith(remark);
  return {
    outcome: verdict.outcome,
    state,
    headline: isSaid ? texts.headline : `${remark}: ${texts.headline}`,
    models: verdict.rows.length > 0 || verdict.notes.some((note) => note.headline) ? 'changed' : 'none',
    commentBody: texts.comment,
    summary: texts.summary,
    annotations: texts.annotations,
  };
}

/** What a run says that was cancelled before its verdict; `runUrl` is the page of the run. */
export function cancelledPublication(runUrl: string): Publication {
  const text = `### ⚪ Model Gate: cancelled, no verdict\n\nThe [run](${runUrl}) was stopped before it had measured enough. Nothing is known about this change: run it again.`;
  return {
    outcome: 'cancelled',
    state: 'error',
    headline: 'cancelled, no verdict',
    models: 'changed',
    commentBody: text,
    summary: `${text}\n`,
    annotations: [],
  };
}
