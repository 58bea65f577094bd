import { MAX_N, type Path, TAILS } from './paths.ts';

/** Mass, and its square, of paths not rejected before n, by n and W+: what a level at n would reject. */
export interface Survivors {
  readonly mass: readonly Float64Array[];
  readonly square: readonly Float64Array[];
  /** Mass, and its square, rejected before n. */
  readonly spent: Float64Array;
  readonly spentSquare: Float64Array;
}

/** An empty tally. */
export function newSurvivors(): Survivors {
  const grid = () => Array.from({ length: MAX_N + 1 }, (_, n) => new Float64Array((n * (n + 1)) / 2 + 1));
  return { mass: grid(), square: grid(), spent: new Float64Array(MAX_N + 2), spentSquare: new Float64Array(MAX_N + 2) };
}

/** Adds one path, rejected at the first look n whose p is at or below `levels[n]`; returns that n or 0. */
export function tally(survivors: Survivors, path: Path, levels: ReadonlyMap<number, number>): number {
  for (let n = 6; n <= MAX_N; n++) {
    const w = path.w[n] ?? 0;
    const weight = path.weight[n] ?? 0;
    const mass = survivors.mass[n] as Float64Array;
    const square = survivors.square[n] as Float64Array;
    mass[w] = (mass[w] ?? 0) + weight;
    square[w] = (square[w] ?? 0) + weight * weight;
    const level = levels.get(n);
    if (level !== undefined && (TAILS[n]?.[w] ?? 1) <= level) {
      survivors.spent[n + 1] = (survivors.spent[n + 1] ?? 0) + weight;
      survivors.spentSquare[n + 1] = (survivors.spentSquare[n + 1] ?? 0) + weight * weight;
      return n;
    }
  }
  return 0;
}

/** Share rejected before n, with its standard error. */
export function spentBefore(survivors: Survivors, n: number, paths: number): { share: number; error: number } {
  let sum = 0;
  let squares = 0;
  for (let i = 0; i <= n; i++) {
    sum += survivors.spent[i] ?? 0;
    squares += survivors.spentSquare[i] ?? 0;
  }
  const share = sum / paths;
  return { share, error: Math.sqrt(Math.max(0, squares / paths - share * share) / paths) };
}

/** Largest level at a last look n that keeps the total at or below `target`, two standard errors to spare; 0 if none. */
export function lastLevel(survivors: Survivors, n: number, target: number, paths: number): number {
  const mass = survivors.mass[n] as Float64Array;
  const square = survivors.square[n] as Float64Array;
  const before = spentBefore(survivors, n, paths);
  let sum = before.share * paths;
  let squares = (before.error ** 2 * paths + before.share ** 2) * paths;
  let level = 0;
  for (let w = mass.length - 1; w >= 0; w--) {
    sum += mass[w] ?? 0;
    squares += square[w] ?? 0;
    const share = sum / paths;
    const error = Math.sqrt(Math.max(0, squares / paths - share * share) / paths);
    if (share + 2 * error > target) break;
    level = TAILS[n]?.[w] ?? 0;
  }
  return roundUp(level);
}

/** Six significant digits, upwards: no other p-value of the discrete test lies between. */
export function roundUp(level: number): number {
  if (level === 0) return 0;
  const scale = 10 ** (5 - Math.floor(Math.log10(level)));
  return Number((Math.ceil(level * scale * (1 - 1e-12)) / scale).toPrecision(6));
}
