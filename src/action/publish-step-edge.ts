import { RefusedError } from '../errors.ts';
import type { ActionInputs } from '../inputs/action-inputs.ts';
import { republish } from '../publish/republish.ts';
import { createRepublishEdges } from '../publish/republish-edge.ts';
import { writeOutputs } from '../publish/step-edge.ts';
import type { StepContext } from './step-context-edge.ts';

/** `publish`: posts what a fork's own run measured, read as hostile data; 0 once it is posted, whatever it says. */
export async function runPublishStep(inputs: ActionInputs, context: StepContext): Promise<number> {
  const { sourceRun } = context.trigger;
  if (sourceRun === null)
    throw new RefusedError('command publish goes with the event workflow_run: use command gate for this event');
  const { owner, repo } = context.target;
  const edges = createRepublishEdges({
    owner,
    repo,
    token: inputs['github-token'],
    apiUrl: context.apiUrl,
    commentMode: inputs.comment,
    statusContext: inputs['status-context'],
    summaryFile: process.env['GITHUB_STEP_SUMMARY'],
  });
  const published = await republish(edges, {
    repository: `${owner}/${repo}`,
    runId: sourceRun.id,
    artifactName: inputs.results,
    policy: inputs,
  });
  writeOutputs({ outcome: published.outcome, 'comment-url': published.commentUrl ?? '' });
  return 0;
}
