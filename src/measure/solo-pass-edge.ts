import { median } from 'simple-statistics';
import { NoVerdictError } from '../errors.ts';
import type { ArmName } from '../plan/plan.ts';
import { SOLO_RUN_MS, SOLO_RUNS } from './check-alone.ts';
import { loadOrder } from './duet.ts';
import { POWER_CAPPED_CHUNK_MS } from './gpu-health.ts';
import type { CaseState, GroupState, Workshop } from './group-state.ts';
import { describeFailure } from './head-check-edge.ts';
import { runLineup } from './lineup-edge.ts';
import type { SoloRuns } from './measurement.ts';
import { judgeTimes } from './restart-values.ts';
import { WorkerFailure } from './worker-failure.ts';

type Runs = { readonly [Arm in keyof SoloRuns]: number[] };

/**
 * Runs each arm alone in fresh processes, in an order by coin, and returns each run's median latency in ms by case id.
 * Runs that the machine disturbed do not count; a case with none left in an arm is left out.
 * @throws NoVerdictError where a worker fails.
 */
export async function runSoloPass(
  shop: Workshop,
  state: GroupState,
  caseIds: readonly string[],
): Promise<Record<string, SoloRuns>> {
  const runMs = shop.options.soloRunMs ?? SOLO_RUN_MS;
  const entries = caseIds.flatMap((id) => state.cases.get(id) ?? []);
  const found = new Map<string, Runs>(entries.map(({ spec }) => [spec.id, { base: [], head: [] }]));
  const { reference: _, ...group } = state.group;
  const alone: GroupState = { ...state, group, mode: 'pairs', healths: [] };
  for (let run = 0; run < SOLO_RUNS; run++) {
    for (const arm of loadOrder(shop.options.seed, `solo ${group.id}`, run)) {
      shop.options.onProgress?.({ group: group.id, step: 'alone', detail: `${arm} ${run + 1}` });
      const steady = entries.map((entry) => steadily(entry, arm, runMs));
      const { cases, conditions } = await lineUp(shop, alone, arm, steady, run);
      if (conditions.faults.length > 0) continue;
      for (const [id, { [arm]: measured }] of cases)
        if (measured && judgeTimes(measured.rounds) === null)
          found.get(id)?.[arm].push(median(measured.rounds.flat(2)));
    }
  }
  return Object.fromEntries([...found].filter(([, { base, head }]) => base.length > 0 && head.length > 0));
}

/** The case with turns as long as clocks need to follow, and as many of them as fill the run: a round has two. */
function steadily(entry: CaseState, arm: ArmName, runMs: number): CaseState {
  const latencyMs = entry.medianMs?.[arm] ?? entry.latencyMs;
  const chunkMs = Math.min(POWER_CAPPED_CHUNK_MS, runMs / 2);
  const chunkIterations = Math.max(1, Math.ceil(chunkMs / latencyMs));
  const rounds = Math.max(1, Math.ceil(runMs / (2 * chunkIterations * latencyMs)));
  return { ...entry, effort: { ...entry.effort, rounds, chunkIterations } };
}

async function lineUp(
  shop: Workshop,
  state: GroupState,
  arm: ArmName,
  entries: readonly CaseState[],
  run: number,
): ReturnType<typeof runLineup> {
  try {
    return await runLineup(shop, state, [arm], entries, run);
  } catch (thrown) {
    if (!(thrown instanceof WorkerFailure)) throw thrown;
    throw new NoVerdictError(`${arm} failed alone: ${describeFailure(state, thrown)}`);
  }
}
