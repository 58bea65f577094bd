import { readFileSync } from 'node:fs';
import { type ModelFacts, readModel } from '../model/model-facts.ts';
import { type PoolNeeds, poolNeeds } from './feed-pool.ts';
import { armsOf, type GroupState } from './group-state.ts';
import { readLastLevelCacheBytes } from './machine-edge.ts';

/** What the pool of each case depends on, for each arm, from the staged models. */
export function readPoolNeeds(state: GroupState): ReadonlyMap<string, readonly PoolNeeds[]> {
  const cacheBytes = readLastLevelCacheBytes();
  const uses = armsOf(state.group).map((arm) => ({ arm, idUses: readIdUses(state.files[arm]?.modelFile ?? '') }));
  return new Map(
    state.group.cases.map((spec) => [
      spec.id,
      uses.map(({ arm, idUses }) =>
        poolNeeds(
          spec.feeds.filter(({ arms }) => arms === 'both' || arms === arm),
          idUses,
          cacheBytes,
          state.group.pool,
        ),
      ),
    ]),
  );
}

/** A model our reader cannot read may still load; whether it does is the engine's to say. */
function readIdUses(modelFile: string): ModelFacts['idUses'] {
  try {
    return readModel(readFileSync(modelFile), modelFile).idUses;
  } catch {
    return {};
  }
}
