import type { CaseState, PerArm } from './group-state.ts';
import type { Note } from './measurement.ts';
import type { RestartPair, RestartResult } from './measurer.ts';
import { concludeCase, type LineupResult, type MeasuredArm } from './restart-result.ts';
import { fitDiscard } from './rewarm.ts';

/** Above this share of call overhead, a change of the model itself is diluted. */
const HOST_BOUND = 0.3;

/** The restart of every visited case; the first one that was measured fixes what its turns lose to re-warming caches. */
export function concludeRestart(
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

/** Turns that are still warming up at their half are doubled from the next restart on. */
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
