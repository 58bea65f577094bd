import { randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ChangeRequest } from '../changes/change-set-edge.ts';
import { creepRuleFor } from '../compare/creep-policy.ts';
import type { Edges } from '../edges.ts';
import { createEdges } from '../edges-edge.ts';
import { RefusedError } from '../errors.ts';
import type { ActionInputs } from '../inputs/action-inputs.ts';
import { DEFAULT_CONFIG_PATH } from '../inputs/config-file.ts';
import { openWorkbench } from '../measure/workbench-edge.ts';
import type { Publisher } from '../publish/publisher.ts';
import { logText } from '../publish/step-edge.ts';
import { preparingText, restartText } from '../report/progress-text.ts';
import type { GateRequest } from '../run-gate.ts';
import { gitEnvironment } from './git-environment-edge.ts';
import type { StepContext } from './step-context-edge.ts';

/** One running step of the action: what it was asked, where it answers, and its way to the world. */
export interface Job {
  readonly inputs: ActionInputs;
  readonly context: StepContext;
  readonly edges: Edges;
  readonly resultsFolder: string;
}

/** A card is shared by a few jobs at most; more waiting is better left to `concurrency`. */
const LOCK_LIMIT_MS = 60 * 60_000;

/** Runs `work` with the edges of this step and cleans up behind it, however it ends. */
export async function withJob<T>(
  inputs: ActionInputs,
  context: StepContext,
  publisher: Publisher | null,
  signal: AbortSignal,
  work: (job: Job) => Promise<T>,
): Promise<T> {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd();
  const session = randomUUID();
  const resultsFolder = resolve(workspace, inputs.results);
  await refuseLinks(workspace, resultsFolder);
  const workbench = openWorkbench({
    distFolder: dirname(fileURLToPath(import.meta.url)),
    env: process.env,
    feedRoot: workspace,
    onnxruntimePath: inputs['onnxruntime-path'],
    installCuda: inputs['install-cuda'],
    lockDir: inputs['lock-dir'],
    lockLimitMs: LOCK_LIMIT_MS,
    lockClocksMHz: inputs['lock-clocks'],
    session,
    signal,
    tell: logText,
    onProgress: ({ group, step }) => {
      if (step !== 'restart') logText(preparingText(group, step));
    },
  });
  const { edges, close } = await createEdges({
    changes: changeRequest(inputs, context, workspace),
    baselines: { store: inputs['baseline-store'], branch: inputs['baseline-branch'] },
    workbench,
    session,
    outFolder: resultsFolder,
    timeBudgetMs: inputs['time-budget'],
    publisher,
    progress: { planned: logText, restart: (progress) => logText(restartText(progress)) },
    signal,
    gitEnvironment: await gitEnvironment(workspace, inputs['github-token'], process.env),
  });
  try {
    return await work({ inputs, context, edges, resultsFolder });
  } finally {
    await close();
  }
}

function changeRequest(inputs: ActionInputs, context: StepContext, folder: string): Omit<ChangeRequest, 'accepted'> {
  return {
    folder,
    trigger: context.trigger,
    config: { path: inputs.config ?? DEFAULT_CONFIG_PATH, isAsked: inputs.config !== null },
    filter: inputs.models,
  };
}

/** A new run of a pull request judges again what is known; what a person asks for again goes on where it ended. */
function useOfEarlier({ trigger, run }: StepContext): GateRequest['earlier'] {
  if (run.attempt > 1 || (trigger.kind === 'dispatch' && trigger.pullRequest !== null)) return 'continue';
  return trigger.kind === 'pull-request' ? 'judge-again' : 'ignore';
}

/** What the inputs ask of gate, measure and judge alike. */
export function gateRequestOf({ inputs, context }: Job): GateRequest {
  return {
    launch: context.trigger.isLaunch,
    creepRule: creepRuleFor(context.trigger),
    earlier: useOfEarlier(context),
    failFast: inputs['fail-fast'] ? 'stop-after-first-failure' : 'judge-all',
    policy: inputs,
    report: { workflowUrl: context.run.url, configPath: inputs.config ?? DEFAULT_CONFIG_PATH },
  };
}

/** @throws RefusedError where a link, which a change may have committed, would lead results out of the workspace. */
async function refuseLinks(workspace: string, folder: string): Promise<void> {
  for (let path = folder; path.startsWith(workspace + sep); path = dirname(path))
    if ((await lstat(path).catch(() => null))?.isSymbolicLink())
      throw new RefusedError(`input results: ${JSON.stringify(path)} is a link: remove it, or name another folder`);
}
