import { planCase } from './case-plan.ts';
import { caseOrder, loadOrder } from './duet.ts';
import { needsLongChunks } from './gpu-health.ts';
import type { CaseState, GroupState, PerArm, Workshop } from './group-state.ts';
import { blameHead, describeFailure } from './head-check-edge.ts';
import { type LineupResult, runLineup } from './lineup-edge.ts';
import type { Note } from './measurement.ts';
import type { RestartPair, RestartResult } from './measurer.ts';
import { concludeCase, invalidRestart, type MeasuredArm } from './restart-result.ts';
import { fitDiscard } from './rewarm.ts';
import { armsAt, stagingEpoch } from './staging.ts';
import { stageArms } from './staging-edge.ts';
import { WorkerFailure } from './worker-failure.ts';

/** Solo starts after failures cost a timeout each; more of them would tell nothing new. */
const MOST_CONFIRMATIONS = 2;
/** Turns on a power-capped card, so that clocks can follow. */
const POWER_CAPPED_CHUNK_MS = 1000;
/** Above this share of call overhead, a change of the model itself is diluted. */
const HOST_BOUND = 0.3;

/** Measures restart `index` of the named cases. A failing worker makes the restart invalid for both arms. */
export async function runRestart(
  shop: Workshop,
  state: GroupState,
  index: number,
  caseIds: readonly string[],
): Promise<RestartResult> {
  restage(state, index);
  lengthenChunks(shop, state);
  const { seed } = shop.options;
  const order = loadOrder(seed, state.group.id, index).filter((arm) => state.group[arm] !== null);
  const visited = caseOrder(seed, state.group.id, index, caseIds).flatMap((id) => state.cases.get(id) ?? []);
  try {
    const together = state.mode === 'pairs' ? order.map((arm) => [arm]) : [order];
    const results: LineupResult[] = [];
    for (const arms of together) results.push(await runLineup(shop, state, arms, visited, index));
    return concludeRestart(index, visited, results);
  } catch (thrown) {
    if (!(thrown instanceof WorkerFailure)) throw thrown;
    return failedRestart(shop, state, index, caseIds, thrown);
  }
}

function concludeRestart(
  index: number,
  visited: readonly CaseState[],
  results: readonly LineupResult[],
): RestartResult {
  const conditions = {
    faults: results.flatMap((result) => result.conditions.faults),
    remarks: results.flatMap((result) => result.conditions.remarks),
  };
  const notes: Note[] = [];
  const pairs: Record<string, RestartPair> = {};
  for (const entry of visited) {
    const { spec, metrics } = entry;
    const arms: PerArm<MeasuredArm> = Object.assign({}, ...results.map(({ cases }) => cases.get(spec.id)));
    fixDiscard(entry, arms);
    const settings = { batch: spec.batch, discard: entry.discard ?? 0, metrics };
    const pair = concludeCase(index, arms, conditions, settings);
    pairs[spec.id] = pair;
    if ((pair.head.values['floor.share'] ?? 0) > HOST_BOUND)
      notes.push({
        code: 'host-bound',
        text: `${spec.id} is host bound: over ${HOST_BOUND * 100} % of its p50 is the cost of the call, so changes of the model are diluted; a larger batch shows them`,
      });
  }
  return { pairs, notes, fault: null };
}

/** Fixes, in the first restart that was measured, what every turn loses to re-warming caches. */
function fixDiscard(entry: CaseState, arms: PerArm<MeasuredArm>): void {
  if (entry.discard !== null) return;
  if (entry.effort.discard === 'none') {
    entry.discard = 0;
    return;
  }
  const fit = fitDiscard(Object.values(arms).map(({ rounds }) => rounds.flat()));
  entry.discard = fit.iterations;
  if (fit.tooShort) entry.effort = { ...entry.effort, chunkIterations: 2 * entry.effort.chunkIterations };
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
