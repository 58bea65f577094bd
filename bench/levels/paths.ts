import { untiedTails } from '../../src/compare/signed-rank.ts';

/** Largest number of restarts a row may take. */
export const MAX_N = 41;

/** P(W+ ≥ w) by n and w, for all n a path passes. */
export const TAILS: readonly Float64Array[] = Array.from({ length: MAX_N + 1 }, (_, n) => untiedTails(n));

/** One simulated row under "no difference": W+ after each restart, and the weight that undoes the tilt. */
export interface Path {
  /** W+ of the first n restarts, at index n. */
  readonly w: Int32Array;
  /** Likelihood ratio of the first n signs, at index n; 1 where signs are fair coins. */
  readonly weight: Float64Array;
}

/**
 * Draws paths into one reused buffer. Under exchangeable noise the signs are fair coins independent of
 * the order of |x|, and the next |x| takes every rank with equal chance: that is all a path needs, so
 * it holds for every distribution. `tilts` are chances of a plus, one of them picked for each path
 * (importance sampling, weighted by the mixture: Veach & Guibas 1995); `[0.5]` is plain Monte Carlo.
 */
export function pathSampler(tilts: readonly number[], random: () => number): () => Path {
  const w = new Int32Array(MAX_N + 1);
  const weight = new Float64Array(MAX_N + 1).fill(1);
  const signs = new Uint8Array(MAX_N + 1);
  const weightOf = mixtureWeights(tilts);
  return () => {
    const tilt = tilts[Math.floor(random() * tilts.length)] ?? 0.5;
    let pluses = 0;
    for (let n = 1; n <= MAX_N; n++) {
      const rank = 1 + Math.floor(random() * n);
      let shifted = 0;
      for (let r = n; r > rank; r--) {
        const sign = signs[r - 1] ?? 0;
        signs[r] = sign;
        shifted += sign;
      }
      const plus = random() < tilt ? 1 : 0;
      signs[rank] = plus;
      pluses += plus;
      w[n] = (w[n - 1] ?? 0) + shifted + plus * rank;
      weight[n] = weightOf[n]?.[pluses] ?? 1;
    }
    return { w, weight };
  };
}

function mixtureWeights(tilts: readonly number[]): readonly (readonly number[])[] {
  return Array.from({ length: MAX_N + 1 }, (_, n) =>
    Array.from({ length: n + 1 }, (__, pluses) => {
      const ratios = tilts.map((tilt) => (2 * tilt) ** pluses * (2 * (1 - tilt)) ** (n - pluses));
      return tilts.length / ratios.reduce((sum, ratio) => sum + ratio, 0);
    }),
  );
}
