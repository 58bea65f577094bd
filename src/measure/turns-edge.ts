import { setTimeout as wait } from 'node:timers/promises';
import type { ArmName } from '../plan/plan.ts';
import { poolOf } from './arm-worker-edge.ts';
import type { Round } from './duet.ts';
import { HAND_OVER_MS } from './effort.ts';
import type { CaseState, PerArm, Workshop } from './group-state.ts';
import type { Reference } from './reference-edge.ts';
import type { Worker } from './worker-process-edge.ts';

/** Both arms' turns of one case in one restart. */
export interface CaseTurns {
  /** Milliseconds of every iteration, by round and turn. */
  readonly rounds: Readonly<Record<ArmName, number[][][]>>;
  /** Processor time over wall time inside the turns: below 1 a single thread was held back. */
  readonly processorShare: number;
  /** Milliseconds of the reference workload, one a round; empty where it takes no turns. */
  readonly reference: readonly number[];
}

const OVERRUN = 10;

/** Lets the arms take turns; arms without a worker here are left out. One is asked at a time, the others idle. */
export async function takeTurns(
  shop: Workshop,
  workers: PerArm<Worker>,
  entry: CaseState,
  rounds: readonly Round[],
  handOver: 'at-once' | 'after-spinning',
  reference: Reference | null = null,
): Promise<CaseTurns> {
  const { spec, effort, latencyMs } = entry;
  const times: Record<ArmName, number[][][]> = { base: [], head: [] };
  const spent = { cpuMs: 0, wallMs: 0 };
  const references: number[] = [];
  let last: ArmName | 'reference' | null = null;
  for (const arm of ['base', 'head'] as const)
    await workers[arm]?.request({ do: 'rewind', pool: poolOf(arm, spec) }, shop.timeouts.graceMs);
  for (const round of rounds) {
    const turns: Record<ArmName, number[][]> = { base: [], head: [] };
    for (const arm of round) {
      const worker = workers[arm];
      if (!worker) continue;
      if (last !== null && last !== arm && handOver === 'after-spinning') await wait(HAND_OVER_MS);
      last = arm;
      const target = { slot: arm, pool: poolOf(arm, spec), fetch: entry.fetch[arm] ?? [] };
      const iterations = effort.chunkIterations;
      const turn = await worker.request(
        { do: 'chunk', ...target, iterations },
        shop.timeouts.graceMs + OVERRUN * iterations * latencyMs,
      );
      turns[arm].push(turn.timesMs);
      spent.cpuMs += turn.cpuMs;
      spent.wallMs += turn.wallMs;
    }
    for (const arm of ['base', 'head'] as const) if (workers[arm]) times[arm].push(turns[arm]);
    if (reference === null) continue;
    if (handOver === 'after-spinning') await wait(HAND_OVER_MS);
    last = 'reference';
    references.push((await reference.takeTurn()) ?? Number.NaN);
  }
  return {
    reference: references.every(Number.isFinite) ? references : [],
    rounds: times,
    processorShare: spent.wallMs > 0 ? spent.cpuMs / spent.wallMs : 1,
  };
}
