import type { CaseSpec } from '../plan/plan.ts';
import { type Effort, HAND_OVER_MS, planEffort } from './effort.ts';
import type { PoolNeeds } from './feed-pool.ts';
import { armsOf, type CaseState, type GroupState, type Workshop } from './group-state.ts';
import type { RestartPair } from './measurer.ts';
import { planPool } from './pool-plan.ts';
import { leavesThreadsSpinning } from './session-options.ts';
import { MEMORY_RUNS } from './worker-protocol.ts';

/** Quota periods a turn must span, so that each turn meets throttling alike. */
const QUOTA_PERIODS = 2;

/** Clocks and caches of a device settle more slowly than a processor's. */
const DEVICE_WARM_UP = 2;
/** A case that proves so much quicker than when it was primed has turns that are too short. */
const QUICKER = 1.25;

/** Whether idle threads of either arm would disturb the other's turn. */
export function needsHandOver(shop: Workshop, state: Pick<GroupState, 'group' | 'mode' | 'spinning'>): boolean {
  const { provider } = state.group;
  const settings = { provider, threads: shop.threads, spinning: state.spinning, profilePrefix: null };
  return (
    state.mode !== 'pairs' &&
    armsOf(state.group).length > 1 &&
    armsOf(state.group).some((arm) => leavesThreadsSpinning(state.group[arm]?.session ?? {}, settings))
  );
}

/** Effort and pool of one case, from what the slower arm needed alone. */
export function planCase(
  shop: Workshop,
  state: Pick<GroupState, 'group' | 'mode' | 'spinning'>,
  spec: CaseSpec,
  found: { readonly latencyMs: number; readonly startMs: number; readonly needs: readonly PoolNeeds[] },
  minChunkMs = QUOTA_PERIODS * shop.quotaPeriodMs,
): { readonly effort: Effort; readonly poolSize: number } {
  const { provider } = state.group;
  const effort = planEffort(
    {
      latencyMs: found.latencyMs,
      startMs: found.startMs,
      casesInGroup: state.group.cases.length,
      handOverMs: needsHandOver(shop, state) ? HAND_OVER_MS : 0,
      minChunkMs,
    },
    { ...shop.effort, warmUpMs: shop.effort.warmUpMs * (provider === 'cpu' ? 1 : DEVICE_WARM_UP) },
  );
  const iterations = 2 * effort.rounds * effort.chunkIterations + MEMORY_RUNS.runs;
  return { effort, poolSize: planPool(spec, found.needs, iterations) };
}

/** The effort of the next restart: longer turns where the case proved quicker than planned, never fewer iterations. */
export function quickerEffort(
  shop: Workshop,
  state: Pick<GroupState, 'group' | 'mode' | 'spinning'>,
  entry: CaseState,
  pair: RestartPair | undefined,
): Effort {
  const p50s = [pair?.base, pair?.head].flatMap((restart) => restart?.values['latency.p50'] ?? []);
  const latencyMs = Math.max(...p50s);
  if (p50s.length === 0 || latencyMs * QUICKER > entry.latencyMs) return entry.effort;
  const { effort } = planCase(shop, state, entry.spec, { latencyMs, startMs: 0, needs: [] });
  const isMore = effort.rounds >= entry.effort.rounds && effort.chunkIterations >= entry.effort.chunkIterations;
  return isMore && effort.discard === entry.effort.discard ? effort : entry.effort;
}
