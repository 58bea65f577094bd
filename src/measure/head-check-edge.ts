import type { ArmName } from '../plan/plan.ts';
import { feedArm, loadArm, openWorker, poolOf, primingPool } from './arm-worker-edge.ts';
import type { GroupState, Workshop } from './group-state.ts';
import type { Fault } from './measurement.ts';
import { describePhase, WorkerFailure } from './worker-failure.ts';
import type { Worker } from './worker-process-edge.ts';

/** A head failure is head's fault only after this many fresh solo starts failed (second-look 9). */
const SOLO_STARTS = 2;

/**
 * Whether head is to blame for a failure: it is started alone until two solo starts failed (`failedAlone` counts
 * those that already did), then base once. Null where head runs alone.
 */
export async function blameHead(
  shop: Workshop,
  state: GroupState,
  failure: WorkerFailure,
  failedAlone: number,
): Promise<Fault | null> {
  let last = failure;
  for (let start = failedAlone; start < SOLO_STARTS; start++) {
    const failed = await startAlone(shop, state, 'head');
    if (!failed) return null;
    last = failed;
  }
  if (!state.group.base)
    return faultOf('not-measured', `the model does not run: ${describeFailure(state, last)}`, last);
  const base = await startAlone(shop, state, 'base');
  if (!base) return faultOf('head-broken', `head fails where base runs: ${describeFailure(state, last)}`, last);
  return faultOf('not-measured', `base fails too: ${describeFailure(state, base)}`, base);
}

/** Starts an arm alone and runs every case once; null where it works. */
async function startAlone(shop: Workshop, state: GroupState, arm: ArmName): Promise<WorkerFailure | null> {
  try {
    const { worker } = await openWorker(shop, state, arm);
    try {
      await runOnce(shop, state, worker, arm);
      return null;
    } finally {
      await worker.close();
    }
  } catch (thrown) {
    if (thrown instanceof WorkerFailure) return thrown;
    throw thrown;
  }
}

async function runOnce(shop: Workshop, state: GroupState, worker: Worker, arm: ArmName): Promise<void> {
  const { outputs } = await loadArm(shop, state, worker, arm);
  const fetch = outputs.map(({ name }) => name);
  for (const spec of state.group.cases) {
    await feedArm(shop, worker, arm, spec, primingPool(state, spec), 1);
    await worker.request({ do: 'run', slot: arm, pool: poolOf(arm, spec), fetch }, shop.timeouts.firstRunMs);
  }
}

/** What failed and how, with the model's own path in place of the staged copy's. */
export function describeFailure(state: GroupState, failure: WorkerFailure): string {
  const staged = Object.values(state.files).map(({ modelFile }) => modelFile);
  const text = staged.reduce((message, file) => message.replaceAll(file, state.group.path), failure.message);
  return failure.kind === 'refused' ? `${describePhase(failure.phase)}: ${text}` : text;
}

export function faultOf(kind: Fault['kind'], reason: string, failure: WorkerFailure): Fault {
  return { kind, reason, ...(failure.stderrTail === undefined ? {} : { stderrTail: failure.stderrTail }) };
}
