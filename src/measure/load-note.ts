import type { ArmName } from '../plan/plan.ts';
import type { RestartPair, RestartResult } from './measurer.ts';

/** Restart notes of head that say which arm was started first; the order effect is judged from them. */
export const LOADED_FIRST = 'loaded first';
export const LOADED_SECOND = 'loaded second';

/** The result with a note in head's valid restarts that says whether head was started `first`; none where it is alone. */
export function withLoadOrder(result: RestartResult, first: ArmName | undefined): RestartResult {
  const note = first === 'head' ? LOADED_FIRST : LOADED_SECOND;
  const mark = (pair: RestartPair): RestartPair =>
    pair.base && pair.head.valid ? { ...pair, head: { ...pair.head, notes: [...pair.head.notes, note] } } : pair;
  return {
    ...result,
    pairs: Object.fromEntries(Object.entries(result.pairs).map(([id, pair]) => [id, mark(pair)])),
  };
}
