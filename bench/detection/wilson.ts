const Z = 1.96;

/** How often something happened among independent trials. */
export interface Share {
  readonly hits: number;
  readonly n: number;
}

/** Wilson's 95 % interval of a share. */
export function wilson({ hits, n }: Share): readonly [low: number, high: number] {
  const p = hits / n;
  const centre = (p + Z ** 2 / (2 * n)) / (1 + Z ** 2 / n);
  const half = (Z * Math.sqrt((p * (1 - p)) / n + Z ** 2 / (4 * n ** 2))) / (1 + Z ** 2 / n);
  return [Math.max(0, centre - half), Math.min(1, centre + half)];
}

/** Chance that at least one of `k` independent rows hits, where one does with chance `p`. */
export function anyOf(p: number, k: number): number {
  return 1 - (1 - p) ** k;
}
