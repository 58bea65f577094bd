import type { ArmName, CaseSpec } from '../plan/plan.ts';
import { feedArm, loadArm, openWorker, poolOf, primingPool, settleArm } from './arm-worker-edge.ts';
import { smallestOutput } from './fetch.ts';
import type { GroupState, Workshop } from './group-state.ts';
import type { OutputValues } from './output-difference.ts';
import { readElements } from './output-elements.ts';
import { makeOutputFolder, readOutput } from './output-files-edge.ts';
import { readGpuBytes, readIdleGpu } from './warm-arm-edge.ts';
import type { Worker } from './worker-process-edge.ts';

/** What one unmeasured solo start of an arm found. */
export interface Priming {
  readonly engineVersion: string;
  /** From process start to the end of the first runs of the first case. */
  readonly startMs: number;
  readonly hostPeakBytes: number;
  readonly gpuPeakBytes: number | null;
  readonly cases: ReadonlyMap<string, PrimedCase>;
}

/** One case of one arm, alone and warm. */
export interface PrimedCase {
  readonly outputs: readonly OutputValues[];
  readonly latencyMs: number;
  /** Processor time over wall time in warm-up. */
  readonly processorShare: number;
}

/** Warm-up of a priming start: enough to know how long an inference takes. */
const PRIMING_CAP = 2;

/** Starts the arm alone, computes its outputs and times it; throws WorkerFailure where it does not load or run. */
export async function primeArm(shop: Workshop, state: GroupState, arm: ArmName): Promise<Priming> {
  const idle = await readIdleGpu(shop, state);
  const beganMs = performance.now();
  const { worker, version } = await openWorker(shop, state, arm);
  try {
    await loadArm(shop, state, worker, arm);
    const cases = new Map<string, PrimedCase>();
    let first: { startMs: number; hostPeakBytes: number; gpuPeakBytes: number | null } | null = null;
    for (const spec of state.group.cases) {
      await feedArm(shop, worker, arm, spec, primingPool(state, spec));
      const outputs = await computeOutputs(shop, state, worker, arm, spec);
      const fetch = fetchOf(state, outputs);
      const hostPeakBytes = await settleArm(shop, worker, arm, spec, fetch);
      first ??= {
        startMs: performance.now() - beganMs,
        hostPeakBytes,
        gpuPeakBytes: await readGpuBytes(shop, state, worker, idle),
      };
      cases.set(spec.id, await primeCase(shop, worker, arm, spec, outputs, fetch));
    }
    return { engineVersion: version, ...(first ?? { startMs: 0, hostPeakBytes: 0, gpuPeakBytes: null }), cases };
  } finally {
    await worker.close();
  }
}

async function primeCase(
  shop: Workshop,
  worker: Worker,
  arm: ArmName,
  spec: CaseSpec,
  outputs: readonly OutputValues[],
  fetch: readonly string[],
): Promise<PrimedCase> {
  const target = { slot: arm, pool: poolOf(arm, spec), fetch };
  const minMs = shop.effort.warmUpMs;
  const warm = await worker.request(
    { do: 'warmUp', ...target, minMs, minRuns: 2, capMs: PRIMING_CAP * minMs },
    shop.timeouts.firstRunMs + PRIMING_CAP * minMs,
  );
  return { outputs, latencyMs: warm.medianMs, processorShare: warm.cpuMs / warm.wallMs };
}

async function computeOutputs(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  arm: ArmName,
  spec: CaseSpec,
): Promise<OutputValues[]> {
  const directory = makeOutputFolder(state.directory);
  const command = { do: 'outputs', slot: arm, pool: poolOf(arm, spec), directory } as const;
  const { outputs } = await worker.request(command, shop.timeouts.firstRunMs);
  return outputs.map((output) => {
    const { name, dtype, dims } = output;
    return { name, dtype, dims, elements: readElements(dtype, readOutput(directory, output)) };
  });
}

function fetchOf(state: GroupState, outputs: readonly OutputValues[]): string[] {
  return state.group.fetch === 'all' ? outputs.map(({ name }) => name) : [smallestOutput(outputs)];
}
