import { median } from 'simple-statistics';

const WITHIN = 0.02;
const LEAST = 2;

/** What to drop from each turn; `tooShort` where caches are still warming at half of it: turns should double. */
export interface Discard {
  readonly iterations: number;
  readonly tooShort: boolean;
}

/**
 * Iterations at the start of every turn during which caches re-warm after the other arm ran: the first position
 * whose median over turns is within 2 % of the median of the last halves; at least 2, at most half a turn.
 * One number for both arms, the larger, fixed in the first restart (statistics.md §2.5).
 */
export function fitDiscard(arms: readonly (readonly (readonly number[])[])[]): Discard {
  const fits = arms.filter((turns) => turns.length > 0).map(fitArm);
  return {
    iterations: Math.max(LEAST, ...fits.map(({ iterations }) => iterations)),
    tooShort: fits.some(({ tooShort }) => tooShort),
  };
}

function fitArm(turns: readonly (readonly number[])[]): Discard {
  const length = Math.min(...turns.map((turn) => turn.length));
  const half = Math.floor(length / 2);
  const steady = median(turns.flatMap((turn) => turn.slice(half)));
  for (let position = 0; position <= half; position++) {
    const here = median(turns.map((turn) => turn[position] ?? Number.NaN));
    if (here <= steady * (1 + WITHIN)) return { iterations: Math.min(half, position), tooShort: false };
  }
  return { iterations: half, tooShort: true };
}
