import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { RefusedError } from '../errors.ts';
import type { ActionInputs } from '../inputs/action-inputs.ts';
import { type Trigger, withPullRequest } from '../inputs/trigger.ts';
import { readTrigger } from '../inputs/trigger-event.ts';
import { pullRequestSchema } from '../inputs/trigger-payload.ts';
import { createClient } from '../publish/github-client-edge.ts';
import type { PublishTarget, RunRef } from '../publish/publisher.ts';
import { PATIENT } from '../publish/retry-policy.ts';

/** Everything a step knows about why it runs and where its answer goes. */
export interface StepContext {
  readonly trigger: Trigger;
  /** Null where the event has no commit to answer on yet (`schedule`): the checked-out one is used then. */
  readonly target: PublishTarget;
  readonly run: RunRef;
  readonly apiUrl: string;
}

/**
 * The context of the running step, from GitHub's environment and the event's payload.
 * @throws RefusedError for an event the gate can't or must not gate.
 */
export async function readStepContext(inputs: ActionInputs, env: NodeJS.ProcessEnv): Promise<StepContext> {
  const [owner = '', repo = ''] = (env['GITHUB_REPOSITORY'] ?? '').split('/');
  const apiUrl = env['GITHUB_API_URL'] ?? '';
  const payload = await readPayload(env['GITHUB_EVENT_PATH']);
  const options = { baseRef: inputs['base-ref'], prNumber: inputs['pr-number'], launch: inputs.launch };
  const drafted = readTrigger(payload, env, options);
  const trigger =
    drafted.needsPullRequest && drafted.pullRequest !== null
      ? await askPullRequest(drafted, drafted.pullRequest)
      : drafted;
  if (!trigger.measures && inputs.command !== 'publish')
    throw new RefusedError('a workflow_run is not measured, as its checkout is not the change: use `command: publish`');
  return {
    trigger,
    apiUrl,
    target: {
      owner,
      repo,
      headSha: trigger.headSha ?? env['GITHUB_SHA'] ?? '',
      pullNumber: trigger.publishes.comment ? trigger.pullRequest : null,
    },
    run: {
      id: env['GITHUB_RUN_ID'] ?? '0',
      attempt: Number(env['GITHUB_RUN_ATTEMPT'] ?? 1),
      url: `${env['GITHUB_SERVER_URL'] ?? ''}/${owner}/${repo}/actions/runs/${env['GITHUB_RUN_ID'] ?? '0'}`,
    },
  };

  async function askPullRequest(asking: Trigger, number: number): Promise<Trigger> {
    const client = createClient({ token: inputs['github-token'], apiUrl, patience: PATIENT, wait: sleep });
    const { data } = await client.rest.pulls.get({ owner, repo, pull_number: number });
    return withPullRequest(asking, pullRequestSchema.parse(data));
  }
}

async function readPayload(path: string | undefined): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path ?? '', 'utf8'));
  } catch {
    throw new RefusedError(
      'GITHUB_EVENT_PATH names no event: run this as a GitHub Action, or use the model-gate command',
    );
  }
}
