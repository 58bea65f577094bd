import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { materialiseArms } from './changes/arms-edge.ts';
import type { ChangedModel, ChangeSet } from './changes/change-set.ts';
import { type ChangeRequest, readChangeSet } from './changes/change-set-edge.ts';
import { openCheckouts } from './changes/checkouts-edge.ts';
import { repositoryRoot } from './changes/git-tree-edge.ts';
import { saveFiles } from './cli/show-verdict-edge.ts';
import type { Edges, ReadArms } from './edges.ts';
import { describeThrown } from './errors.ts';
import type { Progress } from './gate-models.ts';
import { readFeedFiles } from './measure/feed-files-edge.ts';
import type { Workbench } from './measure/workbench-edge.ts';
import type { Publisher } from './publish/publisher.ts';
import { VERSION } from './version.ts';

export interface RealEdgesOptions {
  readonly changes: ChangeRequest;
  readonly workbench: Workbench;
  readonly session: string;
  readonly outFolder: string;
  readonly publisher: Publisher | null;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

const PREPARE_TIMEOUT_MS = 60 * 60_000;

/** The real world of one job on the repository around `changes.folder`; `close` removes what it wrote outside of it. */
export async function createEdges(
  options: RealEdgesOptions,
): Promise<{ readonly edges: Edges; readonly close: () => Promise<void> }> {
  const root = await repositoryRoot(options.changes.folder);
  const folder = await mkdtemp(join(process.env['RUNNER_TEMP'] ?? tmpdir(), 'model-gate-arms-'));
  const checkouts = openCheckouts(root, folder);
  let changes: ChangeSet | null = null;
  const { workbench, session, signal } = options;
  const edges: Edges = {
    toolVersion: VERSION,
    nowMs: () => Date.now(),
    newSession: () => session,
    signal,
    progress: options.progress,
    findChanges: async () => {
      changes = await readChangeSet(options.changes);
      return changes;
    },
    readArms: (change) =>
      readArms(change, { root, folder, checkouts, headCommit: changes?.head.commit ?? null }, signal),
    inspectMachine: (models) => workbench.inspect(models),
    openMeasurer: (groups) => workbench.open(groups),
    saveFiles: (files) => saveFiles(options.outFolder, files),
    publisher: options.publisher,
  };
  const close = async () => {
    await checkouts.close();
    await rm(folder, { recursive: true, force: true });
  };
  return { edges, close };
}

type ArmsPlace = Omit<Parameters<typeof materialiseArms>[1], 'prepareTimeoutMs' | 'signal'>;

/** A model that can't be read or built is one row with the reason; the others are still judged. */
async function readArms(change: ChangedModel, place: ArmsPlace, signal: AbortSignal): Promise<ReadArms> {
  try {
    const made = await materialiseArms(change, { ...place, prepareTimeoutMs: PREPARE_TIMEOUT_MS, signal });
    if (made.kind === 'fault') return made;
    const { id, path, baseConfig, headConfig } = change;
    const feedFiles = await readFeedFiles(headConfig.inputs ?? {}, place.root);
    const { base, head, builds, notes } = made;
    return {
      kind: 'ready',
      model: { id, path, base, head, builds, baseConfig, headConfig, comparison: 'paired', feedFiles, notes },
    };
  } catch (thrown) {
    signal.throwIfAborted();
    return { kind: 'fault', fault: { kind: 'not-measured', reason: describeThrown(thrown) } };
  }
}

/** The folder results are written to. */
export function outFolderOf(asked: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(asked ?? join(env['GITHUB_WORKSPACE'] ?? '.', 'model-gate-results'));
}
