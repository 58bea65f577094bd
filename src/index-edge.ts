import { setFailed } from '@actions/core';
import { runAcceptStep } from './action/accept-step-edge.ts';
import { runGateStep } from './action/gate-step-edge.ts';
import { withJob } from './action/job-edge.ts';
import { runPublishStep } from './action/publish-step-edge.ts';
import { runJudgeStep, runMeasureStep, runPlanStep } from './action/shard-steps-edge.ts';
import { readStepContext, type StepContext } from './action/step-context-edge.ts';
import { CancelledError, describeThrown, EXIT_CANCELLED, RefusedError } from './errors.ts';
import type { ActionInputs } from './inputs/action-inputs.ts';
import { readActionInputs } from './inputs/action-inputs-edge.ts';
import { faultPublication } from './publish/fault-publication.ts';
import { cancelledPublication } from './publish/publication.ts';
import { createPublisher } from './publish/publisher-edge.ts';
import { HURRIED, PATIENT, type Patience } from './publish/retry-policy.ts';
import { appendSummary, writeOutputs } from './publish/step-edge.ts';
import { terminalText } from './report/escape.ts';
import { exitCodeOf } from './verdict/verdict.ts';

/** Runs the step's command and returns its exit code; whatever is thrown ends as a failed step with one line. */
async function runStep(): Promise<number> {
  const cancel = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => cancel.abort(new CancelledError()));
  let answer: ((patience: Patience) => ReturnType<typeof createPublisher>) | null = null;
  let context: StepContext | null = null;
  try {
    const inputs = readActionInputs();
    context = await readStepContext(inputs, process.env);
    const { target, run, apiUrl, trigger } = context;
    answer = (patience) =>
      createPublisher({
        target,
        run,
        apiUrl,
        patience,
        commentMode: inputs.comment,
        statusContext: inputs['status-context'],
        statusPolicy: trigger.publishes.status ? 'set' : 'leave-to-others',
        token: inputs['github-token'],
        summaryFile: process.env['GITHUB_STEP_SUMMARY'],
      });
    return await runCommand(inputs, context, answer(PATIENT), cancel.signal);
  } catch (thrown) {
    if (cancel.signal.aborted) {
      await answer?.(HURRIED).publish(cancelledPublication(context?.run.url ?? ''));
      return EXIT_CANCELLED;
    }
    const outcome = thrown instanceof RefusedError ? 'refused' : 'no-verdict';
    const text = terminalText(describeThrown(thrown));
    setFailed(text);
    writeOutputs({ outcome });
    const said = faultPublication(outcome, text);
    if (answer) await answer(PATIENT).publish(said);
    else await appendSummary(said.summary, process.env['GITHUB_STEP_SUMMARY']);
    return exitCodeOf(outcome);
  }
}

function runCommand(
  inputs: ActionInputs,
  context: StepContext,
  publisher: ReturnType<typeof createPublisher>,
  signal: AbortSignal,
): Promise<number> {
  switch (inputs.command) {
    case 'gate':
      return withJob(inputs, context, publisher, signal, runGateStep);
    case 'plan':
      return withJob(inputs, context, null, signal, runPlanStep);
    case 'measure':
      return withJob(inputs, context, null, signal, runMeasureStep);
    case 'judge':
      return withJob(inputs, context, publisher, signal, runJudgeStep);
    case 'publish':
      return runPublishStep(inputs, context);
    case 'accept-baseline':
      return runAcceptStep(inputs, context);
  }
}

process.exitCode = await runStep();
