import { type Look, lastLook, reachedLooks } from '../../src/compare/looks.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';
import { pathSampler, TAILS } from './paths.ts';
import { seededRandom } from './random.ts';

/** Share of "no difference" rows that a test rejects, with its standard error. */
export interface Size {
  readonly share: number;
  readonly error: number;
}

/** The looks of a row that ends after `n` restarts. */
export function looksUntil(n: number, k: number): Look[] {
  return reachedLooks({ looks: [...LOOKS], stage: 'ended' }, n, k);
}

/** The looks of a plan that ends at `n` by intention. */
export function looksPlanned(n: number, k: number): Look[] {
  const before = reachedLooks({ looks: [...LOOKS], stage: 'measuring' }, n - 1, k);
  return [...before, lastLook(n, k)];
}

/** A replay that rejects at the first look whose p is at or below its level of this kind. */
export interface Replay {
  readonly looks: readonly Look[];
  readonly level: 'rowLevel' | 'familyLevel';
}

/** Sizes of several replays on the same simulated rows. */
export function sizesOf(replays: readonly Replay[], paths: number, seed: number, tilts: readonly number[]): Size[] {
  const draw = pathSampler(tilts, seededRandom(seed));
  const sums = replays.map(() => ({ sum: 0, squares: 0 }));
  for (let i = 0; i < paths; i++) {
    const path = draw();
    replays.forEach(({ looks, level }, at) => {
      const look = looks.find(({ n, [level]: limit }) => (TAILS[n]?.[path.w[n] ?? 0] ?? 1) <= limit);
      const total = sums[at];
      if (!look || !total) return;
      const weight = path.weight[look.n] ?? 0;
      total.sum += weight;
      total.squares += weight * weight;
    });
  }
  return sums.map(({ sum, squares }) => {
    const share = sum / paths;
    return { share, error: Math.sqrt(Math.max(0, squares / paths - share * share) / paths) };
  });
}

export const FAIR_COINS: readonly number[] = [0.5];
export const TILTED: readonly number[] = [0.5, 0.65, 0.75, 0.85, 0.93];
