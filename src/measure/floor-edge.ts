import { median } from 'simple-statistics';
import type { ArmName } from '../plan/plan.ts';
import { armSpec, poolOf } from './arm-worker-edge.ts';
import type { CaseState, GroupState, Workshop } from './group-state.ts';
import { engineOptions } from './session-options.ts';
import { WorkerFailure } from './worker-failure.ts';
import type { Worker } from './worker-process-edge.ts';

const WARM_RUNS = { minMs: 10, minRuns: 5, capMs: 30 } as const;
const ITERATIONS = 30;

/**
 * Median milliseconds of the identity model on the arm's own feeds: what a call costs without the model. Null where
 * the engine cannot run it, which says nothing about the arm.
 */
export async function timeFloor(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  arm: ArmName,
  entry: Pick<CaseState, 'spec' | 'floors'>,
): Promise<number | null> {
  const modelFile = entry.floors[arm];
  if (modelFile === undefined) return null;
  const { provider } = state.group;
  const settings = { provider, threads: shop.threads, spinning: state.spinning, profilePrefix: null };
  const options = engineOptions(armSpec(state, arm).session, settings);
  const target = { slot: 'floor', pool: poolOf(arm, entry.spec), fetch: [] as string[] } as const;
  try {
    const loaded = await worker.request({ do: 'load', slot: 'floor', modelFile, options }, shop.timeouts.loadMs);
    const fetch = loaded.outputs.map(({ name }) => name);
    await worker.request({ do: 'warmUp', ...target, fetch, ...WARM_RUNS }, shop.timeouts.firstRunMs);
    const turn = await worker.request(
      { do: 'chunk', ...target, fetch, iterations: ITERATIONS },
      shop.timeouts.firstRunMs,
    );
    return median(turn.timesMs);
  } catch (thrown) {
    if (thrown instanceof WorkerFailure) return null;
    throw thrown;
  }
}
