import { createReadStream, mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ArmName } from '../plan/plan.ts';
import { feedArm, loadArm, openWorker, poolOf } from './arm-worker-edge.ts';
import type { GroupState, Workshop } from './group-state.ts';
import { type ProfiledKernel, readProfileLine } from './profile.ts';
import { WorkerFailure } from './worker-failure.ts';
import type { Worker } from './worker-process-edge.ts';

/** Runs of a profiled pass: memory patterns settle in the second, and the engine stops at a million events. */
const PROFILED_RUNS = { quick: 10, slow: 2 } as const;
const SLOW_MS = 100;

/**
 * Kernels of each case of one arm from a session of its own with profiling on, never a timed one. Null where the
 * engine could not profile, which says nothing about the arm.
 */
export async function profileArm(
  shop: Workshop,
  state: GroupState,
  arm: ArmName,
): Promise<ReadonlyMap<string, readonly ProfiledKernel[]> | null> {
  const opened: Worker[] = [];
  try {
    const { worker } = await openWorker(shop, state, arm);
    opened.push(worker);
    const kernels = new Map<string, readonly ProfiledKernel[]>();
    for (const { spec, fetch, latencyMs, pool } of state.cases.values()) {
      const directory = mkdtempSync(join(state.directory, 'profile-'));
      await loadArm(shop, state, worker, arm, join(directory, 'p'));
      await feedArm(shop, worker, arm, spec, pool, 1);
      const target = { slot: arm, pool: poolOf(arm, spec), fetch: fetch[arm] ?? [] };
      const iterations = latencyMs > SLOW_MS ? PROFILED_RUNS.slow : PROFILED_RUNS.quick;
      await worker.request(
        { do: 'chunk', ...target, iterations },
        shop.timeouts.firstRunMs + 20 * iterations * latencyMs,
      );
      await worker.request({ do: 'unload', slot: arm }, shop.timeouts.graceMs);
      kernels.set(spec.id, await readProfiles(directory));
    }
    return kernels;
  } catch (thrown) {
    if (thrown instanceof WorkerFailure) return null;
    throw thrown;
  } finally {
    for (const worker of opened) await worker.close();
  }
}

async function readProfiles(directory: string): Promise<ProfiledKernel[]> {
  const kernels: ProfiledKernel[] = [];
  for (const name of readdirSync(directory)) {
    const lines = createInterface({ input: createReadStream(join(directory, name), 'utf8'), crlfDelay: Infinity });
    for await (const line of lines) {
      const kernel = readProfileLine(line);
      if (kernel) kernels.push(kernel);
    }
  }
  return kernels;
}
