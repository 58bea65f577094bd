import { randomUUID } from 'node:crypto';
import { creepRuleFor } from '../compare/creep-policy.ts';
import { createEdges, outFolderOf } from '../edges-edge.ts';
import { DEFAULT_CONFIG_PATH } from '../inputs/config-file.ts';
import { localTrigger } from '../inputs/trigger.ts';
import { runGate } from '../run-gate.ts';
import { exitCodeOf } from '../verdict/verdict.ts';
import { openLocalWorkbench, stopSignal } from './local-workbench-edge.ts';
import { type ShowOptions, showVerdict } from './show-verdict-edge.ts';
import { createProgress } from './terminal-edge.ts';

export interface RunOptions extends ShowOptions {
  readonly base?: string;
  readonly config?: string;
  readonly models?: readonly string[];
  readonly failFast?: boolean;
  readonly launch?: boolean;
}

/** `run`: the whole gate on the repository it stands in; returns the exit code of the outcome. */
export async function runRunCommand(options: RunOptions): Promise<number> {
  const signal = stopSignal();
  const session = randomUUID();
  const progress = createProgress();
  const trigger = localTrigger({ baseRef: options.base ?? null, prNumber: null, launch: options.launch ?? false });
  const workbench = openLocalWorkbench({ session, signal, onProgress: progress.step });
  const { edges, close } = await createEdges({
    changes: {
      folder: process.cwd(),
      trigger,
      config: { path: options.config ?? DEFAULT_CONFIG_PATH, isAsked: options.config !== undefined },
      filter: options.models ?? [],
    },
    baselines: { store: null, branch: null },
    workbench,
    session,
    outFolder: outFolderOf(options.out, process.env),
    publisher: null,
    progress,
    signal,
  });
  try {
    const { verdict } = await runGate(
      {
        launch: options.launch ?? false,
        creepRule: creepRuleFor(trigger),
        failFast: options.failFast ? 'stop-after-first-failure' : 'judge-all',
        policy: { enforce: true, 'on-no-verdict': 'fail' },
        report: {},
      },
      edges,
    );
    progress.end();
    await showVerdict(verdict, { json: options.json, markdown: options.markdown });
    return exitCodeOf(verdict.outcome);
  } finally {
    progress.end();
    await close();
  }
}
