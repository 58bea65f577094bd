import type { CaseSpec } from '../plan/plan.ts';
import { type PoolNeeds, poolSize } from './feed-pool.ts';

/** Elements a pool is filled with: more takes longer than the inferences it is for. */
const MOST_ELEMENTS = 16e6;
/** Feeds of a priming start, which only has to tell how long an inference takes. */
export const PRIMING_FEEDS = 256;

/**
 * Distinct feeds for a case: what both arms' caches ask for, but no more than are used or can be filled in time. A
 * size the config asks for is kept.
 */
export function planPool(spec: CaseSpec, needs: readonly PoolNeeds[], iterations: number): number {
  const wanted = Math.max(1, ...needs.map(poolSize));
  if (needs.some(({ requested }) => requested !== null)) return wanted;
  const elements = spec.feeds.reduce((sum, { dims }) => sum + dims.reduce((product, dim) => product * dim, 1), 0);
  const fillable = Math.max(1, Math.floor(MOST_ELEMENTS / Math.max(1, elements)));
  return Math.max(1, Math.min(wanted, fillable, iterations));
}
