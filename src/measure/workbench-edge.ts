import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentClass } from '../baseline/environment-class.ts';
import { NoVerdictError } from '../errors.ts';
import type { SessionOptions } from '../inputs/gate-config.ts';
import type { CaseGroup } from '../plan/plan.ts';
import type { AskedDevice, Bench, Machine } from './bench.ts';
import { cardOf } from './card-choice.ts';
import { readEnvironmentFacts } from './environment-facts-edge.ts';
import { type GpuProbe, openGpu } from './gpu-edge.ts';
import type { GpuHealth } from './gpu-health.ts';
import { defaultLockDir } from './lock.ts';
import { acquireLock, type HostLock } from './lock-edge.ts';
import type { MeasureProgress } from './measurer-options.ts';
import { openBench } from './open-bench-edge.ts';
import { chooseProvider, mayRunOnNvidia, needsNvidia } from './provider-check.ts';
import { type TriedEngine, tryProvider } from './provider-edge.ts';
import { defaultToolCache } from './runtime.ts';
import { type ResolvedRuntime, resolveRuntime } from './runtime-edge.ts';

export interface WorkbenchOptions {
  /** Folder of the built files: the worker and the runtime's lockfile lie there. */
  readonly distFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onnxruntimePath: string | null;
  readonly installCuda: boolean;
  /** Folder all runners of the host share for device locks; null for the temporary folder. */
  readonly lockDir: string | null;
  readonly lockLimitMs: number;
  /** Graphics clock to hold while measuring; null leaves clocks alone. */
  readonly lockClocksMHz: number | null;
  /** Folder that the paths of `.npy` and `.npz` inputs are relative to. */
  readonly feedRoot: string;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  readonly onProgress?: (progress: MeasureProgress) => void;
}

/** The machine a job measures on. Nothing is asked, locked or installed before it is needed. */
export interface Workbench {
  /** Finds the card these models may run on. @throws NoVerdictError where they name several. */
  readonly inspect: (models: readonly AskedDevice[]) => Promise<Machine>;
  /** The card of that number among the visible ones, or why there is none. */
  readonly probe: (deviceId: number) => Promise<GpuProbe>;
  /** The gate's own engine, or the one in `dir`. */
  readonly findRuntime: (dir?: string | null) => Promise<ResolvedRuntime>;
  /**
   * Creates a session on the provider in a process of its own, the card locked until `open`'s release.
   * @throws RefusedError for a name or option the engine does not honour, NoVerdictError with the loader's reason.
   */
  readonly tryProvider: (provider: string, session: SessionOptions, runtimeDir?: string | null) => Promise<TriedEngine>;
  /** Locks the card these groups need, if any; null where none is watched. */
  readonly lockCard: (gpu: GpuHealth) => Promise<HostLock>;
  /** A measurer for these groups; throws NoVerdictError where a provider asks for a GPU that is absent. */
  readonly open: (groups: readonly CaseGroup[]) => Promise<Bench>;
}

/** The workbench of one job; what was found once is remembered. */
export function openWorkbench(options: WorkbenchOptions): Workbench {
  const probe = remember((deviceId: number) => openGpu({ deviceId, env: options.env }));
  const findRuntime = remember((dir: string | null) => findEngine(dir, options));
  const tryOnce = remember(tryOn);
  const locks = new Map<string, Promise<HostLock>>();
  const workbench: Workbench = {
    inspect: (models) => inspect(models, probe, options.env),
    probe,
    findRuntime: (dir = null) => findRuntime(dir),
    tryProvider: (provider, session, runtimeDir = null) => tryOnce(provider, session, runtimeDir),
    lockCard: (gpu) => {
      const held = locks.get(gpu.lockKey) ?? lock(gpu.lockKey);
      locks.set(gpu.lockKey, held);
      held.catch(() => locks.delete(gpu.lockKey));
      return held;
    },
    open: (groups) => openBench(groups, workbench, options),
  };
  return workbench;

  async function lock(key: string): Promise<HostLock> {
    const dir = options.lockDir ?? defaultLockDir(tmpdir());
    const { lockLimitMs: limitMs, tell: onWait, signal } = options;
    const held = await acquireLock({ dir, key, limitMs, onWait, signal });
    const release = async () => {
      locks.delete(key);
      await held.release();
    };
    return { ...held, release };
  }

  async function tryOn(provider: string, session: SessionOptions, runtimeDir: string | null): Promise<TriedEngine> {
    const runtime = await findRuntime(runtimeDir);
    const { 'device-id': deviceId = 0, ...others } = session;
    const card = mayRunOnNvidia(provider) ? await probe(deviceId) : null;
    const choice = chooseProvider(provider, deviceId, card && 'absence' in card ? card.absence : null);
    if ('noVerdict' in choice) throw new NoVerdictError(choice.noVerdict);
    const gpu = card && 'gpu' in card ? card.gpu : null;
    // A start on a card that another job measures on would spoil its restart.
    if (gpu) await workbench.lockCard(gpu);
    return tryProvider({
      provider,
      session: needsNvidia(provider) ? others : session,
      runtimeDir: runtime.dir,
      workerFile: join(options.distFolder, 'measure-worker.js'),
      environment: options.env,
      device: gpu?.environment ?? {},
      signal: options.signal,
    });
  }
}

async function inspect(
  models: readonly AskedDevice[],
  probe: Workbench['probe'],
  env: NodeJS.ProcessEnv,
): Promise<Machine> {
  const deviceId = cardOf(models);
  const card = deviceId === null ? null : await probe(deviceId);
  const gpu = card && 'gpu' in card ? card.gpu : null;
  const facts = { ...readEnvironmentFacts(env), ...gpu?.facts };
  return {
    environment: (providers) => ({
      class: environmentClass(facts, gpu && providers.some(mayRunOnNvidia) ? 'gpu' : 'cpu'),
      facts,
    }),
    chooseProvider: (asked) => chooseProvider(asked, deviceId ?? 0, card && 'absence' in card ? card.absence : null),
  };
}

function findEngine(dir: string | null, options: WorkbenchOptions): Promise<ResolvedRuntime> {
  return resolveRuntime({
    onnxruntimePath: dir ?? options.onnxruntimePath,
    actionDir: join(options.distFolder, '..'),
    lockDir: join(options.distFolder, 'runtime'),
    toolCache: defaultToolCache(options.env, homedir()),
    installCuda: options.installCuda,
    env: options.env,
    onInstall: options.tell,
  });
}

/** The same promise for the same arguments; a failure is not remembered. */
function remember<Args extends readonly unknown[], T>(find: (...args: Args) => Promise<T>) {
  const found = new Map<string, Promise<T>>();
  return (...args: Args): Promise<T> => {
    const key = JSON.stringify(args);
    const known = found.get(key) ?? find(...args);
    found.set(key, known);
    known.catch(() => found.delete(key));
    return known;
  };
}
