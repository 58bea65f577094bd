import { NoVerdictError } from '../errors.ts';
import type { ArmName, ArmSpec, CaseSpec } from '../plan/plan.ts';
import { type GroupState, usesGpu, type Workshop } from './group-state.ts';
import { inputsOf, type StoredPool } from './pool-file.ts';
import { engineOptions } from './session-options.ts';
import { workerEnvironment } from './worker-environment.ts';
import { startWorker, type Worker } from './worker-process-edge.ts';
import { MEMORY_RUNS, type ReplyOf } from './worker-protocol.ts';

/** Starts a worker with the engine of the arm; throws NoVerdictError where that engine lacks the provider. */
export async function openWorker(
  shop: Workshop,
  state: GroupState,
  arm: ArmName,
): Promise<{ worker: Worker; version: string }> {
  const { options, timeouts } = shop;
  const { provider } = state.group;
  const device = usesGpu(provider) ? (options.gpu?.environment ?? {}) : {};
  const worker = startWorker({
    workerFile: options.workerFile,
    environment: workerEnvironment(options.environment, device),
    directory: state.directory,
    launcher: shop.launcher,
    arm,
    signal: options.signal,
  });
  try {
    const runtimeDir = armSpec(state, arm).runtimeDir ?? options.runtimeDir;
    const { version, backends } = await worker.request({ do: 'open', runtimeDir }, timeouts.startMs);
    if (backends.includes(provider)) return { worker, version };
    throw new NoVerdictError(
      `provider ${JSON.stringify(provider)} is not in onnxruntime-node ${version}: it has ${backends.join(', ')}`,
    );
  } catch (thrown) {
    await worker.close();
    throw thrown;
  }
}

/** Loads the arm's staged model and returns what the engine says of it. */
export function loadArm(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  arm: ArmName,
  profilePrefix: string | null = null,
): Promise<ReplyOf<'load'>> {
  const spec = armSpec(state, arm);
  const { provider } = state.group;
  const settings = { provider, threads: shop.threads, spinning: state.spinning, profilePrefix };
  const modelFile = state.files[arm]?.modelFile ?? '';
  const options = engineOptions(spec.session, settings);
  return worker.request({ do: 'load', slot: arm, modelFile, options }, shop.timeouts.loadMs);
}

/** Gives the worker the arm's feeds of one case, the first `size` of the pool. */
export function feedArm(
  shop: Workshop,
  worker: Worker,
  arm: ArmName,
  spec: CaseSpec,
  stored: StoredPool,
  size = stored.size,
): Promise<ReplyOf<'feed'>> {
  const inputs = inputsOf(stored.layout, arm);
  const command = { do: 'feed', pool: poolOf(arm, spec), file: stored.file, inputs, size } as const;
  return worker.request(command, shop.timeouts.loadMs);
}

/** Runs the first inferences and returns the process's peak so far. */
export async function settleArm(
  shop: Workshop,
  worker: Worker,
  arm: ArmName,
  spec: CaseSpec,
  fetch: readonly string[],
): Promise<number> {
  const target = { slot: arm, pool: poolOf(arm, spec), fetch };
  await worker.request({ do: 'settle', ...target, ...MEMORY_RUNS }, MEMORY_RUNS.maxMs + shop.timeouts.firstRunMs);
  const { peakBytes } = await worker.request({ do: 'memory' }, shop.timeouts.graceMs);
  return peakBytes;
}

/** Name of an arm's feeds of one case inside a worker. */
export function poolOf(arm: ArmName, spec: CaseSpec): string {
  return `${arm} ${spec.id}`;
}

/** Feeds of a case in unmeasured starts. */
export function primingPool(state: GroupState, spec: CaseSpec): StoredPool {
  const stored = state.primingPools.get(spec.id);
  if (!stored) throw new NoVerdictError(`${spec.id} has no feeds yet`);
  return stored;
}

/** The arm's specification; only called for arms that exist. */
export function armSpec(state: GroupState, arm: ArmName): ArmSpec {
  const spec = state.group[arm];
  if (!spec) throw new NoVerdictError(`${state.group.model} has no ${arm} arm`);
  return spec;
}
