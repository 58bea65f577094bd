import type { ArmName } from '../plan/plan.ts';
import { openWorker } from './arm-worker-edge.ts';
import { needsHandOver } from './case-plan.ts';
import { watchConditions } from './conditions-edge.ts';
import { planRounds } from './duet.ts';
import { timeFloor } from './floor-edge.ts';
import type { CaseState, GroupState, PerArm, Workshop } from './group-state.ts';
import { type Reference, startReference } from './reference-edge.ts';
import type { LineupResult, MeasuredArm } from './restart-result.ts';
import { type CaseTurns, takeTurns } from './turns-edge.ts';
import { type ReadingsByCase, readIdleGpu, warmArm } from './warm-arm-edge.ts';
import type { Worker } from './worker-process-edge.ts';

/**
 * Starts the given arms one after the other, each until steady, lets them take turns case by case, and ends them.
 * Several arms in one line-up are the duet (or share a process in mode `inproc`); one arm alone is half of `pairs`.
 */
export async function runLineup(
  shop: Workshop,
  state: GroupState,
  order: readonly ArmName[],
  visited: readonly CaseState[],
  index: number,
): Promise<LineupResult> {
  const workers: Partial<Record<ArmName, Worker>> = {};
  let reference: Reference | null = null;
  try {
    const readings: Partial<Record<ArmName, ReadingsByCase>> = {};
    for (const arm of order) {
      const idle = await readIdleGpu(shop, state);
      workers[arm] = await workerFor(shop, state, arm, workers);
      readings[arm] = await warmArm(shop, state, workers[arm], arm, visited, idle);
    }
    if (state.group.reference && order.includes('head')) reference = await startReference(shop, state);
    const settle = await watchConditions(shop, state);
    const turns = new Map<string, CaseTurns>();
    const takers = order.length + (reference ? 1 : 0);
    const handOver = takers > 1 && needsHandOver(shop, state) ? 'after-spinning' : 'at-once';
    for (const entry of visited) {
      const rounds = planRounds(shop.options.seed, index, entry.spec.id, entry.effort.rounds);
      turns.set(entry.spec.id, await takeTurns(shop, workers, entry, rounds, handOver, reference));
    }
    const conditions = await settle(
      [...Object.values(workers), ...(reference ? [reference] : [])].map(({ pid }) => pid),
      [...turns.values()],
    );
    const cases = new Map<string, PerArm<MeasuredArm>>();
    for (const entry of visited) {
      const measured: Partial<Record<ArmName, MeasuredArm>> = {};
      for (const arm of order) {
        const found = readings[arm]?.get(entry.spec.id);
        const worker = workers[arm];
        if (!found || !worker) continue;
        const floorMs = await timeFloor(shop, state, worker, arm, entry);
        const taken = turns.get(entry.spec.id);
        const beside = arm === 'head' ? (taken?.reference ?? []) : [];
        measured[arm] = { rounds: taken?.rounds[arm] ?? [], readings: { ...found, floorMs }, reference: beside };
      }
      cases.set(entry.spec.id, measured);
    }
    return { cases, conditions };
  } finally {
    await reference?.close();
    for (const worker of new Set(Object.values(workers))) await worker.close();
  }
}

/** A worker of the arm's own, or in mode `inproc` the one that already runs. */
async function workerFor(shop: Workshop, state: GroupState, arm: ArmName, running: PerArm<Worker>): Promise<Worker> {
  const [shared] = state.mode === 'inproc' ? Object.values(running) : [];
  return shared ?? (await openWorker(shop, state, arm)).worker;
}
