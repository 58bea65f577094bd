import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createEdges } from '../edges-edge.ts';
import type { ActionInputs } from '../inputs/action-inputs.ts';
import { DEFAULT_CONFIG_PATH } from '../inputs/config-file.ts';
import { openWorkbench } from '../measure/workbench-edge.ts';
import type { Publisher } from '../publish/publisher.ts';
import { logText, writeOutputs } from '../publish/step-edge.ts';
import { preparingText, restartText } from '../report/progress-text.ts';
import { renderTerminal } from '../report/terminal.ts';
import { runGate } from '../run-gate.ts';
import type { StepContext } from './step-context-edge.ts';

/** `gate`: judges what the event's change touches and answers; returns the step's exit code. */
export async function runGateStep(
  inputs: ActionInputs,
  context: StepContext,
  publisher: Publisher,
  signal: AbortSignal,
): Promise<number> {
  const session = randomUUID();
  const workbench = await openWorkbench({
    distFolder: dirname(fileURLToPath(import.meta.url)),
    env: process.env,
    feedRoot: process.env['GITHUB_WORKSPACE'] ?? process.cwd(),
    onnxruntimePath: inputs['onnxruntime-path'],
    installCuda: inputs['install-cuda'],
    lockDir: inputs['lock-dir'],
    lockLimitMs: LOCK_LIMIT_MS,
    session,
    signal,
    tell: logText,
    onProgress: ({ group, step }) => {
      if (step !== 'restart') logText(preparingText(group, step));
    },
  });
  const { edges, close } = await createEdges({
    changes: {
      folder: process.env['GITHUB_WORKSPACE'] ?? process.cwd(),
      trigger: context.trigger,
      config: { path: inputs.config ?? DEFAULT_CONFIG_PATH, isAsked: inputs.config !== null },
      filter: inputs.models,
      accepted: { newest: null, byModel: new Map() },
    },
    workbench,
    session,
    outFolder: resolve(process.env['GITHUB_WORKSPACE'] ?? '.', inputs.results),
    publisher,
    progress: { planned: logText, restart: (progress) => logText(restartText(progress)) },
    signal,
  });
  try {
    const result = await runGate(
      {
        launch: context.trigger.isLaunch,
        failFast: inputs['fail-fast'] ? 'stop-after-first-failure' : 'judge-all',
        policy: inputs,
        report: { workflowUrl: context.run.url, configPath: inputs.config ?? DEFAULT_CONFIG_PATH },
      },
      edges,
    );
    logText(renderTerminal(result.verdict));
    writeOutputs({
      outcome: result.verdict.outcome,
      'verdict-file': result.files['verdict.json'] ?? '',
      'report-file': result.files['report.md'] ?? '',
      'comment-url': result.commentUrl ?? '',
      'gated-models': result.measuredModels,
    });
    return result.conclusion.exitCode;
  } finally {
    await close();
  }
}

/** A card is shared by a few jobs at most; more waiting is better left to `concurrency`. */
const LOCK_LIMIT_MS = 60 * 60_000;
