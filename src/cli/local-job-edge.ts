import { randomUUID } from 'node:crypto';
import type { Edges } from '../edges.ts';
import { createEdges } from '../edges-edge.ts';
import { DEFAULT_CONFIG_PATH } from '../inputs/config-file.ts';
import { localTrigger, type Trigger } from '../inputs/trigger.ts';
import type { Workbench } from '../measure/workbench-edge.ts';
import { openLocalWorkbench, stopSignal } from './local-workbench-edge.ts';
import { createProgress } from './terminal-edge.ts';

/** What a command gates in a terminal. */
export interface LocalRequest {
  /** A folder inside the work tree. */
  readonly folder: string;
  readonly base?: string | undefined;
  readonly config?: string | undefined;
  readonly models?: readonly string[] | undefined;
  readonly launch?: boolean | undefined;
  readonly outFolder: string;
}

/** A command's way to the world. */
export interface LocalJob {
  readonly edges: Edges;
  readonly trigger: Trigger;
}

/**
 * Runs `work` on a repository with progress on stderr, and cleans up however it ends. `before` may write into the
 * folder first, measuring on the same machine.
 */
export async function withLocalJob<T>(
  request: LocalRequest,
  work: (job: LocalJob) => Promise<T>,
  before: (workbench: Workbench) => Promise<void> = async () => {},
): Promise<T> {
  const [session, signal, progress] = [randomUUID(), stopSignal(), createProgress()];
  const trigger = localTrigger({ baseRef: request.base ?? null, prNumber: null, launch: request.launch ?? false });
  const workbench = openLocalWorkbench({ session, signal, onProgress: progress.step });
  try {
    await before(workbench);
    const { edges, close } = await createEdges({
      changes: {
        folder: request.folder,
        trigger,
        config: { path: request.config ?? DEFAULT_CONFIG_PATH, isAsked: request.config !== undefined },
        filter: request.models ?? [],
      },
      baselines: { store: null, branch: null },
      workbench,
      session,
      outFolder: request.outFolder,
      publisher: null,
      progress,
      signal,
    });
    try {
      return await work({ edges, trigger });
    } finally {
      await close();
    }
  } finally {
    progress.end();
  }
}
