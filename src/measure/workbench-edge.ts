import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentClass } from '../baseline/environment-class.ts';
import { NoVerdictError } from '../errors.ts';
import type { SessionOptions } from '../inputs/gate-config.ts';
import type { CaseGroup } from '../plan/plan.ts';
import { readEnvironmentFacts } from './environment-facts-edge.ts';
import { type GpuProbe, openGpu } from './gpu-edge.ts';
import type { GpuHealth } from './gpu-health.ts';
import { acquireLock } from './lock-edge.ts';
import type { Environment } from './measurement.ts';
import type { Measurer } from './measurer.ts';
import { createMeasurer } from './measurer-edge.ts';
import type { MeasureProgress } from './measurer-options.ts';
import { type TriedEngine, tryProvider } from './provider-edge.ts';
import { defaultToolCache } from './runtime.ts';
import { resolveRuntime } from './runtime-edge.ts';

export interface WorkbenchOptions {
  /** Folder of the built files: the worker and the runtime's lockfile lie there. */
  readonly distFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onnxruntimePath: string | null;
  readonly installCuda: boolean;
  /** Folder all runners of the host share for device locks; null for the temporary folder. */
  readonly lockDir: string | null;
  readonly lockLimitMs: number;
  /** Folder that the paths of `.npy` and `.npz` inputs are relative to. */
  readonly feedRoot: string;
  readonly session: string;
  readonly signal: AbortSignal;
  readonly tell: (message: string) => void;
  readonly onProgress?: (progress: MeasureProgress) => void;
}

/** The machine a job measures on. */
export interface Workbench {
  readonly hasNvidiaGpu: boolean;
  /** Facts and class for cases that run on `providers`. */
  readonly environment: (providers: readonly string[]) => Environment;
  /**
   * Creates a session on the provider in a process of its own.
   * @throws RefusedError for a name or option the engine does not honour, NoVerdictError with the loader's reason.
   */
  readonly tryProvider: (provider: string, session: SessionOptions) => Promise<TriedEngine>;
  /** A measurer for these groups; a GPU is locked until `release`. */
  readonly open: (
    groups: readonly CaseGroup[],
  ) => Promise<{ readonly measurer: Measurer; readonly release: () => Promise<void> }>;
}

/** Providers that run on an NVIDIA card, which is locked and watched while measuring. */
const NVIDIA_PROVIDERS: ReadonlySet<string> = new Set(['cuda', 'tensorrt']);

/**
 * Looks at the machine once. Nothing is locked or installed before `open`.
 * `open` throws NoVerdictError where a provider asks for a GPU that is absent, naming the reason.
 */
export async function openWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const probe = await openGpu({ deviceId: 0, env: options.env });
  const gpu = 'gpu' in probe ? probe.gpu : null;
  const facts = { ...readEnvironmentFacts(options.env), ...gpu?.facts };
  return {
    hasNvidiaGpu: gpu !== null,
    environment: (providers) => {
      const machine = providers.some((provider) => NVIDIA_PROVIDERS.has(provider)) ? 'gpu' : 'cpu';
      return { class: environmentClass(facts, machine), facts };
    },
    tryProvider: (provider, session) => tryOne(provider, session, probe, options),
    open: (groups) => openMeasurer(groups, probe, options),
  };
}

async function tryOne(provider: string, session: SessionOptions, probe: GpuProbe, options: WorkbenchOptions) {
  const gpu = gpuFor([provider], probe);
  const runtime = await findRuntime(options);
  return tryProvider({
    provider,
    session,
    runtimeDir: runtime.dir,
    workerFile: join(options.distFolder, 'measure-worker.js'),
    environment: options.env,
    device: gpu?.environment ?? {},
    signal: options.signal,
  });
}

/** The card that these providers need; null where they need none. */
function gpuFor(providers: readonly string[], probe: GpuProbe): GpuHealth | null {
  const asking = providers.find((provider) => NVIDIA_PROVIDERS.has(provider));
  if (asking === undefined) return null;
  if ('gpu' in probe) return probe.gpu;
  throw new NoVerdictError(`provider ${asking} needs an NVIDIA GPU: ${probe.absence.reason}`);
}

function findRuntime(options: WorkbenchOptions) {
  return resolveRuntime({
    onnxruntimePath: options.onnxruntimePath,
    actionDir: join(options.distFolder, '..'),
    lockDir: join(options.distFolder, 'runtime'),
    toolCache: defaultToolCache(options.env, homedir()),
    installCuda: options.installCuda,
    env: options.env,
    onInstall: options.tell,
  });
}

async function openMeasurer(groups: readonly CaseGroup[], probe: GpuProbe, options: WorkbenchOptions) {
  const gpu = gpuFor(
    groups.map((group) => group.provider),
    probe,
  );
  const runtime = await findRuntime(options);
  const stagingRoot = await mkdtemp(join(options.env['RUNNER_TEMP'] ?? tmpdir(), 'model-gate-'));
  const lock =
    gpu &&
    (await acquireLock({
      dir: options.lockDir ?? join(tmpdir(), 'model-gate-locks'),
      key: gpu.lockKey,
      limitMs: options.lockLimitMs,
      onWait: options.tell,
      signal: options.signal,
    }));
  const measurer = createMeasurer({
    workerFile: join(options.distFolder, 'measure-worker.js'),
    stagingRoot,
    seed: options.session,
    runtimeDir: runtime.dir,
    feedRoot: options.feedRoot,
    environment: options.env,
    gpu,
    signal: options.signal,
    ...(options.onProgress ? { onProgress: options.onProgress } : {}),
  });
  const release = async () => {
    await lock?.release();
    await rm(stagingRoot, { recursive: true, force: true });
  };
  return { measurer, release };
}
