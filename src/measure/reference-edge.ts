import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from 'simple-statistics';
import { type ReferenceWorkload, referenceWorkload } from '../baseline/reference-workload.ts';
import type { CaseSpec } from '../plan/plan.ts';
import { type GroupState, usesGpu, type Workshop } from './group-state.ts';
import { inputsOf } from './pool-file.ts';
import { storePool } from './pool-file-edge.ts';
import { engineOptions } from './session-options.ts';
import { workerEnvironment } from './worker-environment.ts';
import { WorkerFailure } from './worker-failure.ts';
import { startWorker } from './worker-process-edge.ts';

/** The reference workload in a live process of its own; it takes a turn when asked. */
export interface Reference {
  readonly pid: number;
  /** Median milliseconds of one turn; null once it has failed, which says nothing about the arms. */
  readonly takeTurn: () => Promise<number | null>;
  readonly close: () => Promise<void>;
}

const POOL = '@reference';
const FEEDS = 4;
const ITERATIONS = 20;
/** Iterations of a turn lost to re-warming caches. */
const DISCARD = 5;
const WARM_UP = { minMs: 200, minRuns: 5, capMs: 600 } as const;

/** Starts the reference workload on the group's provider, with the gate's own engine; null where that does not run it. */
export async function startReference(shop: Workshop, state: GroupState): Promise<Reference | null> {
  const { options, timeouts } = shop;
  const { provider } = state.group;
  const workload = referenceWorkload(provider);
  const device = usesGpu(provider) ? (options.gpu?.environment ?? {}) : {};
  const worker = startWorker({
    workerFile: options.workerFile,
    environment: workerEnvironment(options.environment, device),
    directory: state.directory,
    launcher: shop.launcher,
    arm: 'head',
    signal: options.signal,
  });
  const target = { slot: 'reference', pool: POOL, fetch: ['y'] } as const;
  const settings = { provider, threads: shop.threads, spinning: state.spinning, profilePrefix: null };
  const start = async (): Promise<true> => {
    const { modelFile, pool } = await writeReference(state.directory, workload);
    const { file, size, layout } = pool;
    await worker.request({ do: 'open', runtimeDir: options.runtimeDir }, timeouts.startMs);
    const load = { do: 'load', slot: 'reference', modelFile, options: engineOptions({}, settings) } as const;
    await worker.request(load, timeouts.loadMs);
    await worker.request({ do: 'feed', pool: POOL, file, inputs: inputsOf(layout, 'head'), size }, timeouts.loadMs);
    await worker.request({ do: 'warmUp', ...target, ...WARM_UP }, timeouts.firstRunMs);
    return true;
  };
  let works = (await orNull(start)) !== null;
  if (!works) {
    await worker.close();
    return null;
  }
  return {
    pid: worker.pid,
    takeTurn: async () => {
      if (!works) return null;
      const request = { do: 'chunk', ...target, iterations: ITERATIONS } as const;
      const turn = await orNull(() => worker.request(request, timeouts.firstRunMs));
      works = turn !== null;
      return turn && median(turn.timesMs.slice(DISCARD));
    },
    close: () => worker.close(),
  };
}

async function writeReference(directory: string, { bytes, input }: ReferenceWorkload) {
  const modelFile = join(directory, 'reference.onnx');
  if (!existsSync(modelFile)) writeFileSync(modelFile, bytes);
  const feed: CaseSpec['feeds'][number] = {
    name: input.name,
    dtype: 'float32',
    dims: [...input.dims],
    arms: 'both',
    source: { fill: 'normal', seed: 1 },
  };
  const spec: CaseSpec = { id: POOL, batch: input.dims[0], feeds: [feed], workload: '' };
  return { modelFile, pool: await storePool(spec, FEEDS, join(directory, 'reference.bin'), directory) };
}

async function orNull<T>(call: () => Promise<T>): Promise<T | null> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof WorkerFailure) return null;
    throw thrown;
  }
}
