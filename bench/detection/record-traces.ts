import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { canPin } from '../../src/measure/cpu-grant-edge.ts';
import { loadOrder } from '../../src/measure/duet.ts';
import type { GroupState, Workshop } from '../../src/measure/group-state.ts';
import { runLineup } from '../../src/measure/lineup-edge.ts';
import { DEFAULT_TIMEOUTS } from '../../src/measure/measurer-options.ts';
import { prepareGroup } from '../../src/measure/prepare-edge.ts';
import type { MeasuredArm } from '../../src/measure/restart-result.ts';
import { stagingEpoch } from '../../src/measure/staging.ts';
import { stageArms } from '../../src/measure/staging-edge.ts';
import type { ArmSpec, CaseGroup } from '../../src/plan/plan.ts';
import { CHAIN_DIMS, chainModel } from './chain-model.ts';
import type { TraceHeader, TraceRestart } from './trace-file.ts';

/** One cycle of recording: A/A thrice, then each slower model once, so that all meet the same machine. */
const CYCLE = [0, 1, 2, 0, 3, 5, 0, 10];
const ROUNDS = 10;
const TURN = 30;
/** The first half of a turn is left out: caches re-warm in it. */
const KEPT = 15;
const CORE = 0;

/** Busy for a quarter of a second, idle for 0.6 s: a neighbour that comes and goes within a restart. */
const NEIGHBOUR = 'setInterval(() => { const end = Date.now() + 250; while (Date.now() < end); }, 850)';

interface Job {
  readonly workerFile: string;
  readonly runtimeDir: string;
  readonly target: string;
  readonly condition: string;
  readonly cycles: number;
  readonly withNeighbour: boolean;
}

const [workerFile = '', runtimeDir = '', folder = '', cycles = '30'] = process.argv.slice(2);
for (const condition of ['shared', 'neighbour']) {
  const target = join(folder, `${condition}.jsonl.gz`);
  const withNeighbour = condition === 'neighbour';
  await record({ workerFile, runtimeDir, target, condition, cycles: Number(cycles), withNeighbour });
}

async function record(job: Job): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'model-gate-traces-'));
  const pin = canPin([CORE]) ? ['taskset', '-c', String(CORE)] : [];
  const [command = process.execPath, ...rest] = [...pin, process.execPath, '-e', NEIGHBOUR];
  const loadBefore = loadavg()[0] ?? 0;
  const neighbour = job.withNeighbour ? spawn(command, rest, { stdio: 'ignore' }) : null;
  try {
    const shop = workshop(job, root, pin);
    const variants = new Map<number, GroupState>();
    for (const extra of new Set(CYCLE)) variants.set(extra, await openVariant(shop, root, extra));
    const restarts: TraceRestart[] = [];
    for (let cycle = 0; cycle < job.cycles; cycle++) {
      for (const extra of CYCLE) {
        const state = variants.get(extra);
        const index = restarts.filter((restart) => restart.extra === extra).length;
        if (state) restarts.push(...(await restartOnce(shop, state, extra, index)));
      }
      console.error(`${job.condition}: ${restarts.length} restarts, load ${loadavg()[0]?.toFixed(1)}`);
    }
    writeTrace(job, restarts, loadBefore);
  } finally {
    neighbour?.kill();
    rmSync(root, { recursive: true, force: true });
  }
}

function workshop({ workerFile, runtimeDir }: Job, root: string, pin: readonly string[]): Workshop {
  return {
    options: { workerFile, stagingRoot: root, seed: 'traces', runtimeDir, environment: process.env, gpu: null },
    timeouts: DEFAULT_TIMEOUTS,
    effort: {
      rounds: ROUNDS,
      chunkMs: 0.1,
      chunkIterations: TURN,
      minIterations: 10,
      warmUpMs: 100,
      secondsByLatencyMs: [[1, 10]],
    },
    threads: 1,
    quotaCpus: null,
    quotaPeriodMs: 0,
    launcher: pin,
    emptyPeaks: new Map(),
    notes: [],
  };
}

async function openVariant(shop: Workshop, root: string, extra: number): Promise<GroupState> {
  const group = groupOf(arm(root, 0), arm(root, extra), extra);
  const directory = join(root, `variant-${extra}`);
  mkdirSync(directory);
  const state: GroupState = {
    group,
    directory,
    files: stageArms(directory, { base: armOf(group), head: group.head }, 0),
    epoch: 0,
    mode: 'duet',
    spinning: 'engine-default',
    emptyPeakBytes: 0,
    primingPools: new Map(),
    cases: new Map(),
    healths: [],
    confirmations: 0,
  };
  const { fault } = await prepareGroup(shop, state);
  if (fault) throw new Error(fault.reason);
  return state;
}

function armOf(group: CaseGroup): ArmSpec {
  if (!group.base) throw new Error('a trace has two arms');
  return group.base;
}

function arm(root: string, extra: number): ArmSpec {
  const bytes = chainModel(extra);
  const modelFile = join(root, `chain-${extra}.onnx`);
  writeFileSync(modelFile, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const session = { threads: 1 };
  return { commit: null, modelFile, externalFiles: [], sha256, bytes: bytes.length, runtimeDir: null, session };
}

function groupOf(base: ArmSpec, head: ArmSpec, extra: number): CaseGroup {
  const source = { fill: 'normal' as const, seed: 1 };
  const feeds = [{ name: 'x', dtype: 'float32', dims: [...CHAIN_DIMS], arms: 'both' as const, source }];
  return {
    id: `chain-${extra}/cpu`,
    model: 'chain',
    path: 'chain.onnx',
    provider: 'cpu',
    variant: null,
    comparison: 'paired',
    base,
    head,
    cases: [{ id: `chain-${extra}/cpu/b1/c1`, batch: 1, feeds, workload: '0123456789abcdef' }],
    fetch: 'smallest',
    pool: 16,
    unchanged: false,
    notes: [],
  };
}

/** Restart `index` of a variant: staged anew, with folders and order of start as the engine chooses them. */
async function restartOnce(shop: Workshop, state: GroupState, extra: number, index: number): Promise<TraceRestart[]> {
  const { group } = state;
  state.epoch = stagingEpoch(group, index);
  state.files = stageArms(state.directory, { base: armOf(group), head: group.head }, state.epoch);
  const order = loadOrder(shop.options.seed, group.id, index);
  const { cases } = await runLineup(shop, state, order, [...state.cases.values()], index);
  const [arms] = [...cases.values()];
  if (!arms?.base || !arms.head) return [];
  const peaks = { basePeak: arms.base.readings.hostPeakBytes ?? 0, headPeak: arms.head.readings.hostPeakBytes ?? 0 };
  return [{ extra, base: iterationsOf(arms.base), head: iterationsOf(arms.head), ...peaks }];
}

function iterationsOf({ rounds }: MeasuredArm): number[] {
  return rounds.flatMap((turns) => turns.flatMap((turn) => turn.slice(-KEPT))).map((ms) => Math.round(ms * 10_000));
}

function writeTrace(job: Job, restarts: readonly TraceRestart[], loadBefore: number): void {
  const header: TraceHeader = {
    schema: 'model-gate/trace@1',
    condition: job.condition,
    recordedAt: new Date().toISOString().slice(0, 10),
    machine: `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} processors`,
    engine: `onnxruntime-node ${JSON.parse(readFileSync(join(job.runtimeDir, 'package.json'), 'utf8')).version}`,
    loadBefore,
    loadAfter: loadavg()[0] ?? 0,
    model: '100 dense layers of 128 × 128 on 64 rows, one thread; head has `extra` layers more',
    rounds: ROUNDS,
    iterationsPerRound: 2 * KEPT,
  };
  mkdirSync(dirname(job.target), { recursive: true });
  const text = [header, ...restarts].map((line) => JSON.stringify(line)).join('\n');
  writeFileSync(job.target, gzipSync(`${text}\n`, { level: 9 }));
}
