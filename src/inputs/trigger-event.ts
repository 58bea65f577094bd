import type { z } from 'zod';
import { RefusedError } from '../errors.ts';
import { quoteName } from './suggestion.ts';
import { completeTrigger, type Trigger, type TriggerDraft, type TriggerOptions } from './trigger.ts';
import {
  commitSchema,
  deploymentPayload,
  dispatchPayload,
  type EventEnvironment,
  mergeGroupPayload,
  pullRequestPayload,
  pushPayload,
  readPayload,
  releasePayload,
  workflowRunPayload,
} from './trigger-payload.ts';

const KNOWN = 'pull_request, merge_group, push, schedule, workflow_dispatch, workflow_run, release or deployment';
const NO_COMMIT = /^0+$/;
/** Its runs have a read-only token and no secrets, like a fork's. */
const READ_ONLY_ACTOR = 'dependabot[bot]';

type Draft = Omit<TriggerDraft, 'event'>;

/**
 * What the event of this run asks for.
 * @throws RefusedError for an event or action the gate can't or must not gate, and for a payload without what it needs.
 */
export function readTrigger(payload: unknown, environment: EventEnvironment, options: TriggerOptions): Trigger {
  const event = environment.GITHUB_EVENT_NAME ?? '';
  if (options.prNumber !== null && event !== 'workflow_dispatch' && event !== 'pull_request')
    throw new RefusedError(
      `the input pr-number goes with workflow_dispatch, not with ${quoteName(event)}: leave it empty`,
    );
  return completeTrigger({ ...draftOf(event, payload, environment, options), event }, options);
}

function draftOf(event: string, payload: unknown, environment: EventEnvironment, options: TriggerOptions): Draft {
  switch (event) {
    case 'pull_request':
      return fromPullRequest(readPayload(event, pullRequestPayload, payload), environment);
    case 'merge_group':
      return fromMergeGroup(readPayload(event, mergeGroupPayload, payload));
    case 'push':
      return fromPush(readPayload(event, pushPayload, payload));
    case 'schedule':
      return { kind: 'schedule', headSha: null, pullRequest: null, baseSource: LAST_ACCEPTED, publishes: STATUS };
    case 'workflow_dispatch':
      return fromDispatch(readPayload(event, dispatchPayload, payload), options);
    case 'workflow_run':
      return fromWorkflowRun(readPayload(event, workflowRunPayload, payload));
    case 'release':
      return fromRelease(readPayload(event, releasePayload, payload), environment);
    case 'deployment': {
      const { sha } = readPayload(event, deploymentPayload, payload).deployment;
      return { kind: 'deployment', headSha: sha, pullRequest: null, baseSource: LAST_ACCEPTED, publishes: STATUS };
    }
    case 'pull_request_target':
      throw new RefusedError(
        'pull_request_target is not measured: it would run files of the pull request with write access and secrets; use pull_request, and workflow_run with `command: publish` to post for forks',
      );
    default:
      throw new RefusedError(`the event ${quoteName(event)} is not one the gate knows: use ${KNOWN}`);
  }
}

const LAST_ACCEPTED = { kind: 'accepted', before: null, orPreviousTag: true } as const;
const STATUS = { status: true, comment: false } as const;

function fromPullRequest(payload: z.infer<typeof pullRequestPayload>, environment: EventEnvironment): Draft {
  const { action, pull_request: pull } = payload;
  if (action === 'closed')
    throw new RefusedError(
      'a closed pull request has nothing to gate: take `closed` out of the `types` of pull_request',
    );
  const isFork = pull.head.repo?.full_name !== pull.base.repo.full_name;
  const mayWrite = !isFork && environment.GITHUB_ACTOR !== READ_ONLY_ACTOR;
  return {
    kind: 'pull-request',
    action,
    headSha: pull.head.sha,
    pullRequest: pull.number,
    baseSource: { kind: 'pull-request', headSha: pull.head.sha, baseSha: pull.base.sha },
    isFork,
    publishes: { status: mayWrite, comment: mayWrite },
  };
}

function fromMergeGroup({ action, merge_group: group }: z.infer<typeof mergeGroupPayload>): Draft {
  if (action === 'destroyed')
    throw new RefusedError('a destroyed merge group has nothing to gate: use `types: [checks_requested]`');
  const baseSource = { kind: 'merge-group', baseSha: group.base_sha } as const;
  return { kind: 'merge-group', action, headSha: group.head_sha, pullRequest: null, baseSource, publishes: STATUS };
}

function fromPush(payload: z.infer<typeof pushPayload>): Draft {
  if (payload.deleted || NO_COMMIT.test(payload.after))
    throw new RefusedError(`the push deleted ${quoteName(payload.ref)}: nothing to gate`);
  return {
    kind: 'push',
    headSha: payload.after,
    pullRequest: null,
    baseSource: {
      kind: 'accepted',
      before: NO_COMMIT.test(payload.before) ? null : payload.before,
      orPreviousTag: payload.ref.startsWith('refs/tags/'),
    },
    publishes: STATUS,
    mayStoreBaseline: payload.ref === `refs/heads/${payload.repository.default_branch}`,
  };
}

function fromDispatch(payload: z.infer<typeof dispatchPayload>, options: TriggerOptions): Draft {
  const draft = { kind: 'dispatch', headSha: null, pullRequest: null, publishes: STATUS } as const;
  const { default_branch: branch } = payload.repository;
  const fromBranch = { kind: 'default-branch', branch } as const;
  if (options.prNumber !== null)
    return {
      ...draft,
      pullRequest: options.prNumber,
      needsPullRequest: true,
      baseSource: fromBranch,
      publishes: { status: true, comment: true },
    };
  return { ...draft, baseSource: payload.ref === `refs/heads/${branch}` ? LAST_ACCEPTED : fromBranch };
}

function fromWorkflowRun({ workflow_run: run, action }: z.infer<typeof workflowRunPayload>): Draft {
  if (run.event !== 'pull_request')
    throw new RefusedError(
      `the workflow_run is about a run of ${quoteName(run.event)}, which has no pull request: only pull_request runs are posted`,
    );
  return {
    kind: 'workflow-run',
    action,
    headSha: run.head_sha,
    pullRequest: null,
    needsPullRequest: true,
    baseSource: { kind: 'default-branch', branch: null },
    policySource: 'base',
    measures: false,
    publishes: { status: true, comment: true },
    sourceRun: {
      id: run.id,
      headSha: run.head_sha,
      headBranch: run.head_branch,
      headRepository: run.head_repository?.full_name ?? null,
    },
  };
}

function fromRelease({ action }: z.infer<typeof releasePayload>, environment: EventEnvironment): Draft {
  if (action === 'deleted' || action === 'unpublished')
    throw new RefusedError(`a release that was ${action} has nothing to gate: use \`types: [published]\``);
  const headSha = readPayload('release (GITHUB_SHA)', commitSchema, environment.GITHUB_SHA);
  return { kind: 'release', action, headSha, pullRequest: null, baseSource: LAST_ACCEPTED, publishes: STATUS };
}
