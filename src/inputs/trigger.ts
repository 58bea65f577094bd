import { RefusedError } from '../errors.ts';
import type { PullRequest } from './trigger-payload.ts';

export type TriggerKind =
  | 'pull-request'
  | 'merge-group'
  | 'push'
  | 'schedule'
  | 'dispatch'
  | 'workflow-run'
  | 'release'
  | 'deployment'
  | 'local';

/** Where the base commit comes from; DESIGN §8. */
export type BaseSource =
  | { readonly kind: 'ref'; readonly ref: string }
  /** First parent of the checked-out merge commit; the merge base where the head itself is checked out. */
  | { readonly kind: 'pull-request'; readonly headSha: string; readonly baseSha: string }
  | { readonly kind: 'merge-group'; readonly baseSha: string }
  /** Newest accepted session's commit, else `before`, else the previous tag where `orPreviousTag`. */
  | { readonly kind: 'accepted'; readonly before: string | null; readonly orPreviousTag: boolean }
  /** Merge base with the remote's default branch; its name where the event tells it. */
  | { readonly kind: 'default-branch'; readonly branch: string | null };

/** The run a `workflow_run` event is about: its artifacts are hostile data. */
export interface SourceRun {
  readonly id: number;
  readonly headSha: string;
  readonly headBranch: string | null;
  /** `owner/name` of the repository the head lies in; null where that fork is gone. */
  readonly headRepository: string | null;
}

/** What an event asks the gate for. */
export interface Trigger {
  readonly event: string;
  /** The event's own action, as `labeled`; null where it has none. */
  readonly action: string | null;
  readonly kind: TriggerKind;
  /** Commit that carries the status; null for the checked-out one. */
  readonly headSha: string | null;
  readonly pullRequest: number | null;
  /** The pull request must be asked from the API, then given to `withPullRequest`. */
  readonly needsPullRequest: boolean;
  readonly baseSource: BaseSource;
  /** Whose config and waivers are in force: a fork's own never are. */
  readonly policySource: 'base' | 'head';
  readonly isFork: boolean;
  /** Judges all models, and unmeasured speed files are no verdict. */
  readonly isLaunch: boolean;
  /** False where the gate only posts what another run measured. */
  readonly measures: boolean;
  /** What this event's token can be expected to write; a 403 is a warning all the same. */
  readonly publishes: { readonly status: boolean; readonly comment: boolean };
  /** A push to the default branch may write the branch store. */
  readonly mayStoreBaseline: boolean;
  readonly sourceRun: SourceRun | null;
}

export interface TriggerOptions {
  readonly baseRef: string | null;
  readonly prNumber: number | null;
  readonly launch: boolean;
}

/** What a run in a terminal asks for. */
export function localTrigger(options: TriggerOptions): Trigger {
  return completeTrigger(
    {
      event: 'local',
      kind: 'local',
      headSha: null,
      pullRequest: null,
      baseSource: { kind: 'default-branch', branch: null },
      publishes: { status: false, comment: false },
    },
    options,
  );
}

/** The parts of a trigger that differ from event to event; all others have a usual value. */
export type TriggerDraft = Pick<Trigger, 'event' | 'kind' | 'headSha' | 'pullRequest' | 'baseSource' | 'publishes'> &
  Partial<Trigger>;

/** A trigger with the usual values filled in; `base-ref` and `launch` of the run's inputs win. */
export function completeTrigger(draft: TriggerDraft, options: TriggerOptions): Trigger {
  return {
    action: null,
    needsPullRequest: false,
    isFork: false,
    policySource: draft.isFork ? 'base' : 'head',
    measures: true,
    mayStoreBaseline: false,
    sourceRun: null,
    ...draft,
    isLaunch: options.launch || draft.kind === 'release' || draft.kind === 'deployment',
    baseSource: options.baseRef === null ? draft.baseSource : { kind: 'ref', ref: options.baseRef },
  };
}

/**
 * The trigger once the pull request it needs is known. Where that has moved on since the run a `workflow_run` is about,
 * the older commit still gets its status, but the comment is left to the newer one.
 * @throws RefusedError where a dispatched run would measure a fork's files.
 */
export function withPullRequest(trigger: Trigger, pull: PullRequest): Trigger {
  const isFork = pull.head.repo?.full_name !== pull.base.repo.full_name;
  if (isFork && trigger.measures)
    throw new RefusedError(
      `pull request ${pull.number} comes from a fork: forks are measured only under pull_request, after approval`,
    );
  const hasMovedOn = trigger.headSha !== null && trigger.headSha !== pull.head.sha;
  const baseSource: BaseSource =
    trigger.baseSource.kind === 'ref'
      ? trigger.baseSource
      : { kind: 'pull-request', headSha: pull.head.sha, baseSha: pull.base.sha };
  return {
    ...trigger,
    headSha: trigger.headSha ?? pull.head.sha,
    pullRequest: pull.number,
    publishes: hasMovedOn ? { status: trigger.publishes.status, comment: false } : trigger.publishes,
    needsPullRequest: false,
    baseSource,
    isFork,
    policySource: isFork ? 'base' : 'head',
  };
}
