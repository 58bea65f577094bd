import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AcceptedCommits } from './baseline/accepted-commits.ts';
import type { StoredSession } from './baseline/baseline-schema.ts';
import { createBaselines, type Keeping, openStore, readAcceptedCommits, type StorePlace } from './baselines-edge.ts';
import { materialiseAccepted } from './changes/accepted-arm-edge.ts';
import { materialiseArms } from './changes/arms-edge.ts';
import type { ChangedModel, ChangeSet } from './changes/change-set.ts';
import { type ChangeRequest, configFileName, readChangeSet } from './changes/change-set-edge.ts';
import { openCheckouts } from './changes/checkouts-edge.ts';
import { openHistory } from './changes/git-history-edge.ts';
import { readHead, repositoryRoot } from './changes/git-tree-edge.ts';
import { saveFiles } from './cli/show-verdict-edge.ts';
import { readEarlierFiles } from './earlier-files-edge.ts';
import type { Edges, ReadArms } from './edges.ts';
import { describeThrown, NoVerdictError } from './errors.ts';
import type { Progress } from './gate-models.ts';
import { type AskedStore, type BaselineSettings, baselineSettings } from './inputs/baseline-settings.ts';
import { parseGateConfig } from './inputs/config-file.ts';
import { EMPTY_CONFIG, type GateConfig } from './inputs/gate-config.ts';
import type { Trigger } from './inputs/trigger.ts';
import { readFeedFiles } from './measure/feed-files-edge.ts';
import type { Workbench } from './measure/workbench-edge.ts';
import type { ReadyModel } from './plan/plan-groups.ts';
import type { Publisher } from './publish/publisher.ts';
import { VERSION } from './version.ts';

export interface RealEdgesOptions {
  readonly changes: Omit<ChangeRequest, 'accepted'>;
  readonly baselines: AskedStore;
  readonly workbench: Workbench;
  readonly session: string;
  readonly outFolder: string;
  /** Of the step itself; it wins over the config's. */
  readonly timeBudgetMs?: number | null;
  readonly publisher: Publisher | null;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Git's environment where the store is read and written; credentials may be among it. */
  readonly gitEnvironment?: NodeJS.ProcessEnv;
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
  const place = () => ({ root, folder, checkouts, headCommit: changes?.head.commit ?? null });
  const edges: Edges = {
    toolVersion: VERSION,
    nowMs: () => Date.now(),
    newSession: () => session,
    signal,
    progress: options.progress,
    findChanges: async () => {
      const accepted = await findAccepted(root, options);
      const found = await readChangeSet({ ...options.changes, accepted });
      const { timeBudgetMs } = options;
      const budget = timeBudgetMs == null ? {} : { 'time-budget': timeBudgetMs };
      const policies = { ...found.policies, inForce: { ...found.policies.inForce, ...budget } };
      changes = { ...found, policies, notes: [...accepted.notes, ...found.notes] };
      return changes;
    },
    openBaselines: async () => {
      if (changes === null) throw new NoVerdictError('baselines were asked for before the change was read');
      const { inForce, beforeChange } = changes.policies;
      // Where a change moves the store, the one it moves away from holds what is accepted.
      const settings = baselineSettings(beforeChange ?? inForce, options.baselines);
      const commit = await storeCommit(root, options.changes.trigger, changes.base?.commit ?? null);
      const at = storePlace(root, settings, commit, options);
      const store = settings.store === 'directory' && commit === null ? null : await openStore(at);
      const policy = {
        config: inForce,
        path: await configFileName(root, options.changes.folder, options.changes.config.path),
      };
      return {
        ...createBaselines(store, at, options.changes.trigger, keepingOf(inForce, options.baselines)),
        readAccepted: (change, ready, accepted) => readAccepted(change, ready, accepted, policy, place(), signal),
      };
    },
    readEarlier: () => readEarlierFiles(root, options.outFolder),
    readArms: (change) => readArms(change, place(), signal),
    inspectMachine: (models) => workbench.inspect(models),
    openMeasurer: (groups) => workbench.open(groups),
    saveFiles: (files) => saveFiles(options.outFolder, { ...files, '.gitignore': '*\n' }),
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

/** The accepted model beside the head that was read already; not to be had is a fault with the reason. */
async function readAccepted(
  change: ChangedModel,
  ready: ReadyModel,
  { commit, sha256 }: StoredSession,
  policy: { readonly config: GateConfig; readonly path: string },
  place: ArmsPlace,
  signal: AbortSignal,
): Promise<ReadArms> {
  const fault = (reason: string): ReadArms => ({ kind: 'fault', fault: { kind: 'not-measured', reason } });
  if (commit === null) return fault('its session names no commit');
  try {
    const context = { ...place, prepareTimeoutMs: PREPARE_TIMEOUT_MS, signal };
    const made = await materialiseAccepted(change, { commit, sha256 }, ready.head.modelFile, policy, context);
    if (made.kind === 'unavailable') return fault(made.reason);
    return { kind: 'ready', model: { ...ready, base: made.base, baseConfig: made.config, builds: null } };
  } catch (thrown) {
    signal.throwIfAborted();
    return fault(describeThrown(thrown));
  }
}

const NOTHING_ACCEPTED: AcceptedCommits = { newest: null, byModel: new Map(), notes: [] };

/** Accepted commits where the event is measured against them; the store is the one of the pushed config. */
async function findAccepted(root: string, options: RealEdgesOptions): Promise<AcceptedCommits> {
  const { trigger, folder, config } = options.changes;
  if (trigger.baseSource.kind !== 'accepted') return NOTHING_ACCEPTED;
  const text = await readFile(resolve(folder, config.path), 'utf8').catch(() => null);
  const policy = text === null ? EMPTY_CONFIG : parseGateConfig(text, config.path);
  const commit = await storeCommit(root, trigger, null);
  const place = storePlace(root, baselineSettings(policy, options.baselines), commit, options);
  return readAcceptedCommits(root, await openStore(place));
}

/** Where a directory store is read: at the commit before a push, at the checked-out one of a schedule or launch, else at base. */
async function storeCommit(root: string, { baseSource }: Trigger, base: string | null): Promise<string | null> {
  if (baseSource.kind !== 'accepted') return base;
  const { before } = baseSource;
  if (before !== null && (await openHistory(root).fetchCommit(before))) return before;
  return (await readHead(root)).commit;
}

function keepingOf({ baseline }: GateConfig, { store }: AskedStore): Keeping {
  return baseline === undefined && store === null ? 'not-kept' : 'kept';
}

function storePlace(
  root: string,
  settings: BaselineSettings,
  commit: string | null,
  { gitEnvironment = process.env }: RealEdgesOptions,
): StorePlace {
  return { root, settings, commit, environment: gitEnvironment };
}

/** The folder results are written to. */
export function outFolderOf(asked: string | undefined, env: NodeJS.ProcessEnv): string {
  return resolve(asked ?? join(env['GITHUB_WORKSPACE'] ?? '.', 'model-gate-results'));
}
