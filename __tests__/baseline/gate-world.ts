import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readFiles } from '../../src/baseline/baseline-overview.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import type { BaselineStore } from '../../src/baseline/baseline-store.ts';
import { openBranchStore } from '../../src/baseline/branch-store-edge.ts';
import { creepRuleFor } from '../../src/compare/creep-policy.ts';
import { createEdges } from '../../src/edges-edge.ts';
import { completeTrigger, type Trigger } from '../../src/inputs/trigger.ts';
import type { Workbench } from '../../src/measure/workbench-edge.ts';
import { type GateRequest, type GateResult, runGate } from '../../src/run-gate.ts';
import { clone, createRepository, publish, type Repository, temporaryFolder } from '../fakes/git-repository.ts';
import { type MeasurerScript, type ScriptedMeasurer, scriptedMeasurer } from '../fakes/scripted-measurer.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

export const CONFIG = `version: 1
models:
  - {id: ranker, path: models/ranker.onnx, providers: [cpu]}
baseline: {store: branch}
`;
export const CASE = 'ranker/cpu/b1/c1';
export const BRANCH = 'model-gate-baselines';
const CLASS = 'c1a55c1a55c1';

/** A repository on a real remote whose models take as long as the script says. */
export interface GateWorld {
  readonly repository: Repository;
  readonly folder: string;
  /** Commits another ranker whose true latency is `latencyMs`, with other files. */
  readonly commitModel: (latencyMs: number, files?: Readonly<Record<string, string>>, at?: Repository) => string;
  readonly gate: (run: GateRun) => Promise<GateOutcome>;
  /** The branch store, as any clone sees it. */
  readonly store: () => Promise<BaselineStore>;
  readonly baselines: () => Promise<Baseline[]>;
  /** Rewrites main from nothing, forgets all that was there, and gives a fresh clone. */
  readonly rewrite: (files: Readonly<Record<string, string>>) => Repository;
  readonly remove: () => void;
}

export interface GateRun {
  readonly trigger: Trigger;
  /** A checkout other than the author's. */
  readonly at?: Repository;
  readonly script?: Partial<MeasurerScript>;
  readonly nowMs?: number;
  readonly host?: string;
  readonly class?: string;
  readonly cpu?: string;
  readonly out?: string;
  readonly earlier?: GateRequest['earlier'];
}

export interface GateOutcome extends GateResult {
  readonly asked: ScriptedMeasurer['asked'];
  readonly out: string;
}

export function createGateWorld(config = CONFIG): GateWorld {
  const { path: folder, remove } = temporaryFolder();
  const repository = createRepository(folder, 'author');
  const times = new Map<string, number>();
  let models = 0;
  let clones = 0;
  let runs = 0;
  const commitModel: GateWorld['commitModel'] = (latencyMs, files = {}, at = repository) => {
    const bytes = tinyMlp({ dim: 4, layers: 1 + models++ });
    times.set(createHash('sha256').update(bytes).digest('hex'), latencyMs);
    return at.commit({ 'models/ranker.onnx': bytes, '.github/model-gate.yml': config, ...files });
  };
  const store = () =>
    openBranchStore({
      repository: repository.root,
      remote: 'origin',
      branch: BRANCH,
      environment: process.env,
      now: () => new Date(),
      random: () => 0,
      wait: async () => {},
    });
  const gate = async (run: GateRun): Promise<GateOutcome> => {
    const number = ++runs;
    const nowMs = run.nowMs ?? Date.UTC(2026, 11, 1, 10) + number * 3_600_000;
    const out = run.out ?? join(folder, `results-${number}`);
    const measurer = scriptedMeasurer({
      latencyMs: (sha256) => times.get(sha256) ?? Number.NaN,
      machine: 1,
      spread: 0.002,
      seed: number,
      ...run.script,
    });
    const { edges, close } = await createEdges({
      changes: {
        folder: (run.at ?? repository).root,
        trigger: run.trigger,
        config: { path: '.github/model-gate.yml', isAsked: false },
        filter: [],
      },
      baselines: { store: null, branch: null },
      workbench: workbenchOf(measurer, run),
      session: `s-${String(number).padStart(3, '0')}`,
      outFolder: out,
      publisher: null,
      progress: { planned: () => {}, restart: () => {} },
      signal: new AbortController().signal,
    });
    try {
      const request = {
        launch: run.trigger.isLaunch,
        failFast: 'judge-all',
        creepRule: creepRuleFor(run.trigger),
        earlier: run.earlier ?? 'ignore',
        policy: { enforce: true, 'on-no-verdict': 'fail' },
        report: {},
      } as const;
      const result = await runGate(request, { ...edges, nowMs: () => nowMs });
      return { ...result, asked: measurer.asked, out };
    } finally {
      await close();
    }
  };
  return {
    repository,
    folder,
    commitModel,
    gate,
    store,
    baselines: async () => readFiles(await (await store()).files(null)).flatMap(({ baseline }) => baseline ?? []),
    rewrite: (files) => {
      const bare = `${repository.root}.git`;
      repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/main', '--force');
      repository.git('checkout', '--quiet', '--orphan', 'rewritten');
      repository.git('rm', '--quiet', '-r', '--force', '.');
      repository.commit(files, 'rewritten');
      repository.git('push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/main');
      repository.git('--git-dir', bare, 'reflog', 'expire', '--expire=now', '--all');
      repository.git('--git-dir', bare, 'gc', '--quiet', '--prune=now');
      return clone(`file://${bare}`, folder, `clone-${++clones}`);
    },
    remove,
  };
}

/** Only what a gate asks of a machine: figures come from the script. */
function workbenchOf(measurer: ScriptedMeasurer, run: GateRun): Workbench {
  const facts = { 'cpu.model': run.cpu ?? 'Test CPU', 'host.id': run.host ?? 'host-a' };
  return {
    inspect: async () => ({
      environment: () => ({ class: run.class ?? CLASS, facts }),
      chooseProvider: (asked: string | null) => ({ provider: asked ?? 'cpu', note: null }),
    }),
    open: async () => ({ measurer, machineNotes: () => [], seenClocksMHz: () => [], release: async () => {} }),
  } as unknown as Workbench;
}

/** A push to the default branch: what came before it is given. */
export function pushTrigger(before: string | null, after: string | null = null): Trigger {
  return completeTrigger(
    {
      event: 'push',
      kind: 'push',
      headSha: after,
      pullRequest: null,
      baseSource: { kind: 'accepted', before, orPreviousTag: false },
      publishes: { status: true, comment: false },
      mayStoreBaseline: true,
    },
    { baseRef: null, prNumber: null, launch: false },
  );
}

/** A pull request of this repository, its head checked out. */
export function pullTrigger(headSha: string, baseSha: string, changes: Partial<Trigger> = {}): Trigger {
  return completeTrigger(
    {
      event: 'pull_request',
      action: 'synchronize',
      kind: 'pull-request',
      headSha,
      pullRequest: 42,
      baseSource: { kind: 'pull-request', headSha, baseSha },
      publishes: { status: true, comment: true },
      ...changes,
    },
    { baseRef: null, prNumber: null, launch: false },
  );
}

export { publish };
