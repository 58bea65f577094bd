import { join } from 'node:path';
import type { CaseSpec } from '../plan/plan.ts';
import { feedArm, openWorker, poolOf } from './arm-worker-edge.ts';
import { writeEmptyModel } from './floor-model-edge.ts';
import { armsOf, type GroupState, type Workshop } from './group-state.ts';
import { storePool } from './pool-file-edge.ts';
import { engineOptions } from './session-options.ts';

const EMPTY: CaseSpec = {
  id: 'empty',
  batch: 1,
  workload: '',
  feeds: [{ name: 'x', dtype: 'float32', dims: [1], arms: 'both', source: { fill: 'constant', value: 0 } }],
};

/**
 * Peak resident bytes of a worker that ran the smallest model there is, with the first arm's runtime: one number
 * for both arms, so that a runtime that itself grew still shows.
 */
export async function readEmptyPeak(shop: Workshop, state: GroupState): Promise<number> {
  const [arm = 'head'] = armsOf(state.group);
  const key = JSON.stringify([state.group[arm]?.runtimeDir, state.group.provider]);
  const known = shop.emptyPeaks.get(key);
  if (known !== undefined) return known;
  const { worker } = await openWorker(shop, state, arm);
  try {
    const { provider } = state.group;
    const settings = { provider, threads: shop.threads, spinning: state.spinning, profilePrefix: null };
    const options = engineOptions({}, settings);
    const modelFile = writeEmptyModel(state.directory);
    await worker.request({ do: 'load', slot: 'floor', modelFile, options }, shop.timeouts.loadMs);
    const pool = await storePool(EMPTY, 1, join(state.directory, 'pools', 'empty.bin'), state.directory);
    await feedArm(shop, worker, arm, EMPTY, pool);
    await worker.request(
      { do: 'run', slot: 'floor', pool: poolOf(arm, EMPTY), fetch: ['y'] },
      shop.timeouts.firstRunMs,
    );
    const { peakBytes } = await worker.request({ do: 'memory' }, shop.timeouts.graceMs);
    shop.emptyPeaks.set(key, peakBytes);
    return peakBytes;
  } finally {
    await worker.close();
  }
}
