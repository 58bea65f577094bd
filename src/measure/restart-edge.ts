import { LOOKS } from '../plan/time-budget.ts';
import { planCase, quickerEffort } from './case-plan.ts';
import { caseOrder, loadOrder, memoryCaseOf } from './duet.ts';
import { needsLongChunks, POWER_CAPPED_CHUNK_MS } from './gpu-health.ts';
import type { CaseState, GroupState, Workshop } from './group-state.ts';
import { blameHead, describeFailure } from './head-check-edge.ts';
import { runLineup } from './lineup-edge.ts';
import { withLoadOrder } from './load-note.ts';
import type { RestartPair, RestartResult } from './measurer.ts';
import { optimalRounds, roundLogRatios, withRounds } from './refit-rounds.ts';
import { concludeRestart } from './restart-conclusion.ts';
import { invalidRestart, type LineupResult } from './restart-result.ts';
import { armsAt, stagingEpoch } from './staging.ts';
import { stageArms } from './staging-edge.ts';
import { WorkerFailure } from './worker-failure.ts';

/** Solo starts after failures cost a timeout each; more of them would tell nothing new. */
const MOST_CONFIRMATIONS = 2;

/** Measures restart `index` of the named cases. A failing worker makes the restart invalid for both arms. */
export async function runRestart(
  shop: Workshop,
  state: GroupState,
  index: number,
  caseIds: readonly string[],
): Promise<RestartResult> {
  const beganMs = performance.now();
  restage(state, index);
  lengthenChunks(shop, state);
  const { seed } = shop.options;
  const order = loadOrder(seed, state.group.id, index).filter((arm) => state.group[arm] !== null);
  const visited = caseOrder(seed, state.group.id, index, caseIds, memoryCaseOf(state.group.cases)).flatMap(
    (id) => state.cases.get(id) ?? [],
  );
  try {
    const together = state.mode === 'pairs' ? order.map((arm) => [arm]) : [order];
    const results: LineupResult[] = [];
    for (const arms of together) results.push(await runLineup(shop, state, arms, visited, index));
    const result = withLoadOrder(concludeRestart(index, visited, results), order[0]);
    for (const entry of visited) {
      entry.effort = quickerEffort(shop, state, entry, result.pairs[entry.spec.id]);
      entry.medianMs = { ...entry.medianMs, ...mediansOf(result.pairs[entry.spec.id]) };
      entry.logRatios.push(roundLogRatios(result.pairs[entry.spec.id]));
    }
    if (index === LOOKS[0] - 1) refitRounds(visited, performance.now() - beganMs);
    return result;
  } catch (thrown) {
    if (!(thrown instanceof WorkerFailure)) throw thrown;
    return failedRestart(shop, state, index, caseIds, thrown);
  }
}

function mediansOf(pair: RestartPair | undefined): NonNullable<CaseState['medianMs']> {
  const base = pair?.base?.values['latency.p50'];
  const head = pair?.head.values['latency.p50'];
  return { ...(base === undefined ? {} : { base }), ...(head === undefined ? {} : { head }) };
}

/** After the first look it is known what spreads: rounds of later restarts, the same for both arms, follow from it. */
function refitRounds(visited: readonly CaseState[], restartMs: number): void {
  const timedMs = visited.reduce((sum, { effort }) => sum + effort.restartMs - 2 * effort.warmUpMs, 0);
  const startMs = Math.max(0, restartMs - timedMs) / visited.length;
  for (const entry of visited) {
    const roundMs = (entry.effort.restartMs - 2 * entry.effort.warmUpMs) / entry.effort.rounds;
    const rounds = optimalRounds(entry.logRatios, { startMs, roundMs });
    if (rounds !== null) entry.effort = withRounds(entry.effort, rounds, { startMs, roundMs }, entry.metrics);
  }
}

async function failedRestart(
  shop: Workshop,
  state: GroupState,
  index: number,
  caseIds: readonly string[],
  failure: WorkerFailure,
): Promise<RestartResult> {
  const reason = `${failure.arm} failed: ${describeFailure(state, failure)}`;
  const notes = [reason, ...(failure.stderrTail === undefined ? [] : [`stderr: ${failure.stderrTail}`])];
  const restart = invalidRestart(index, notes);
  const pair: RestartPair = { base: state.group.base ? restart : null, head: restart };
  const mayBlame = failure.arm === 'head' && state.confirmations < MOST_CONFIRMATIONS;
  if (mayBlame) {
    state.confirmations++;
    shop.options.onProgress?.({ group: state.group.id, step: 'confirming', detail: 'head' });
  }
  const fault = mayBlame ? await blameHead(shop, state, failure, 0) : null;
  return {
    pairs: Object.fromEntries(caseIds.map((id) => [id, pair])),
    notes: [{ code: 'restart-failed', text: reason }],
    fault,
  };
}

/** Writes both arms' files anew in swapped folders, and each build before its restart: how a file lies on disk is no arm's own. */
function restage(state: GroupState, index: number): void {
  const epoch = stagingEpoch(state.group, index);
  if (epoch === state.epoch && state.group.builds === undefined) return;
  state.files = stageArms(state.directory, armsAt(state.group, index), epoch);
  state.epoch = epoch;
}

function lengthenChunks(shop: Workshop, state: GroupState): void {
  if (!needsLongChunks(state.healths)) return;
  for (const entry of state.cases.values()) {
    const found = { latencyMs: entry.latencyMs, startMs: 0, needs: [] };
    const { effort } = planCase(shop, state, entry.spec, found, POWER_CAPPED_CHUNK_MS);
    if (effort.chunkIterations > entry.effort.chunkIterations) entry.effort = effort;
  }
}
