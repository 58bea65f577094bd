/** A pull request as the API tells it. */
export interface PullCandidate {
  readonly number: number;
  readonly isOpen: boolean;
  readonly headSha: string;
  /** `owner/name`; null where the fork is gone. */
  readonly headRepository: string | null;
  readonly baseRepository: string;
}

/** The run whose result is published: facts from the event and the API, never from its artifact. */
export interface MeasuringRun {
  readonly id: number;
  readonly attempt: number;
  readonly url: string;
  readonly event: string;
  readonly headSha: string;
  readonly headBranch: string | null;
  /** `owner/name`; null where the fork is gone. */
  readonly headRepository: string | null;
}

/** The open pull request whose head the run measured, or why there is none to comment on. */
export type SourcePull =
  | { readonly kind: 'current'; readonly number: number }
  | { readonly kind: 'none'; readonly reason: string };

/** Finds the pull request of a run; GitHub leaves it out of the event for forks. */
export function findSourcePull(
  candidates: readonly PullCandidate[],
  run: MeasuringRun,
  repository: string,
): SourcePull {
  const own = candidates.filter(
    (pull) => pull.isOpen && pull.baseRepository === repository && pull.headRepository === run.headRepository,
  );
  const current = new Set(own.filter((pull) => pull.headSha === run.headSha).map(({ number }) => number));
  const [number] = current;
  if (number !== undefined && current.size === 1) return { kind: 'current', number };
  if (current.size > 1) return { kind: 'none', reason: 'several open pull requests have this head' };
  return {
    kind: 'none',
    reason: own.length > 0 ? 'the pull request has a newer head' : 'no open pull request has this head',
  };
}

const WORKFLOW_FILES = [/^\.github\/(?:workflows|actions)\//, /(?:^|\/)action\.ya?ml$/];

/** The first file that decides what a measuring run does; null where none is touched. Unknown files count as one. */
export function findWorkflowEdit(files: readonly string[] | null): string | null {
  if (files === null) return 'its files could not all be listed';
  return files.find((file) => WORKFLOW_FILES.some((pattern) => pattern.test(file))) ?? null;
}
