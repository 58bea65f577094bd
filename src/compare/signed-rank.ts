/**
 * Exact conditional one-sided signed-rank p-value P(W+ ≥ w) of "the centre of `x` is above 0".
 * Zeros are dropped, ties take midranks, and the distribution is conditional on them (Pratt 1959;
 * Hollander & Wolfe, Nonparametric Statistical Methods, 3.1). Returns 1 where nothing is left.
 */
export function signedRankP(x: readonly number[]): number {
  const kept = x.filter((value) => value !== 0);
  if (kept.length === 0) return 1;
  const ranks = doubledMidranks(kept.map(Math.abs));
  const observed = ranks.reduce((sum, rank, i) => ((kept[i] ?? 0) > 0 ? sum + rank : sum), 0);
  return upperTail(rankSumDistribution(ranks), observed);
}

/** p-value of "delta > threshold" for restart differences `d`; |x| below `negligible` is zero and dropped. */
export function pAbove(d: readonly number[], threshold: number, negligible: number): number {
  return signedRankP(d.map((value) => dropNegligible(value - threshold, negligible)));
}

/** p-value of "delta ≤ threshold"; exactly the threshold is within, so zeros count for it with the lowest rank. */
export function pWithin(d: readonly number[], threshold: number, negligible: number): number {
  return signedRankP(d.map((value) => dropNegligible(threshold - value, negligible) || Number.MIN_VALUE));
}

function dropNegligible(x: number, negligible: number): number {
  return Math.abs(x) < negligible ? 0 : x;
}

/** Twice the midrank of each value, so that ties stay integers. */
function doubledMidranks(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length).fill(0);
  for (let start = 0; start < order.length; ) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1] ?? 0] === values[order[start] ?? 0]) end++;
    for (let i = start; i <= end; i++) ranks[order[i] ?? 0] = start + end + 2;
    start = end + 1;
  }
  return ranks;
}

/** Null distribution of the sum of the given integer ranks, each kept with probability 1/2; index = sum. */
export function rankSumDistribution(ranks: readonly number[]): Float64Array {
  const total = ranks.reduce((sum, rank) => sum + rank, 0);
  const density = new Float64Array(total + 1);
  density[0] = 1;
  let reach = 0;
  for (const rank of ranks) {
    reach += rank;
    for (let sum = reach; sum >= 0; sum--) {
      const withRank = sum >= rank ? (density[sum - rank] ?? 0) : 0;
      density[sum] = ((density[sum] ?? 0) + withRank) / 2;
    }
  }
  return density;
}

function upperTail(density: Float64Array, from: number): number {
  let tail = 0;
  for (let sum = density.length - 1; sum >= from; sum--) tail += density[sum] ?? 0;
  return Math.min(1, tail);
}

/** P(W+ ≥ w) of `n` untied differences, by w from 0 to n(n+1)/2. */
export function untiedTails(n: number): Float64Array {
  const density = rankSumDistribution(Array.from({ length: n }, (_, i) => i + 1));
  for (let sum = density.length - 2; sum >= 0; sum--) density[sum] = (density[sum] ?? 0) + (density[sum + 1] ?? 0);
  return density;
}
