/** log n!, exact enough for counts of restarts. */
function logFactorial(n: number): number {
  let sum = 0;
  for (let i = 2; i <= n; i++) sum += Math.log(i);
  return sum;
}

function logChoose(n: number, r: number): number {
  return logFactorial(n) - logFactorial(r) - logFactorial(n - r);
}

/** A 2×2 table of counts: hits and misses of two groups. */
export interface Counts {
  readonly hitsA: number;
  readonly missesA: number;
  readonly hitsB: number;
  readonly missesB: number;
}

/** Fisher's exact one-sided p-value that group B has its share of hits, or fewer (hypergeometric lower tail). */
export function fisherFewerInB(counts: Counts): number {
  const { sizeB, total, hits } = margins(counts);
  let p = 0;
  for (let b = Math.max(0, hits - (total - sizeB)); b <= counts.hitsB; b++) p += probability(b, sizeB, total, hits);
  return Math.min(1, p);
}

/** Fisher's exact two-sided p-value: all tables at most as probable as the observed one. */
export function fisherTwoSided(counts: Counts): number {
  const { sizeB, total, hits } = margins(counts);
  const observed = probability(counts.hitsB, sizeB, total, hits);
  let p = 0;
  for (let b = Math.max(0, hits - (total - sizeB)); b <= Math.min(sizeB, hits); b++) {
    const each = probability(b, sizeB, total, hits);
    if (each <= observed * (1 + 1e-9)) p += each;
  }
  return Math.min(1, p);
}

function margins({ hitsA, missesA, hitsB, missesB }: Counts) {
  return { sizeB: hitsB + missesB, total: hitsA + missesA + hitsB + missesB, hits: hitsA + hitsB };
}

function probability(hitsB: number, sizeB: number, total: number, hits: number): number {
  return Math.exp(logChoose(hits, hitsB) + logChoose(total - hits, sizeB - hitsB) - logChoose(total, sizeB));
}
