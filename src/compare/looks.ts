import { LOOKS } from '../plan/time-budget.ts';
import { FAMILY_LEVELS, ROW_LAST_LEVELS } from './levels-table.ts';

/** One-sided levels of the six looks; .0495 in total. A flat level would make the look at 6 impossible. */
const ROW_LEVELS: ReadonlyMap<number, number> = new Map([
  [6, 1 / 64],
  [9, 0.01],
  [13, 0.01],
  [19, 0.01],
  [28, 0.01],
  [41, 0.0225],
]);

/** Fewest restarts that can decide anything. */
export const MIN_RESTARTS = 6;

/** Most restarts that are used; later ones are measured by nobody and ignored. */
export const MAX_RESTARTS = 41;

const FAMILY_TOTAL = 0.05;

/** One chance to decide: after `n` restarts, at these one-sided levels. */
export interface Look {
  readonly n: number;
  /** For "within the margin" and "beyond the margin". */
  readonly rowLevel: number;
  /** For "there is a difference at all", shared by the k rows of the family; 0 where n is too small. */
  readonly familyLevel: number;
}

/** Which looks were promised, and whether more restarts may still come. */
export interface LookPlan {
  readonly looks: readonly number[];
  readonly stage: 'measuring' | 'ended';
}

/**
 * The looks that `available` restarts reach, of those `planned`. A planned end before 41, and an
 * unplanned end between two looks (once measuring has ended), get the level that keeps the totals (.0495 a row, .05/k a family member).
 * Any plan is safe: at a number that is no regular look nothing is decided unless it is the last.
 */
export function reachedLooks({ looks: planned, stage }: LookPlan, available: number, k: number): Look[] {
  const end = planned.at(-1) ?? 0;
  const reached = planned.filter((n) => n <= available).map((n) => (n === end ? lastLook(n, k) : regularLook(n, k)));
  const isBetween = stage === 'ended' && available >= MIN_RESTARTS && available < end && !planned.includes(available);
  return isBetween ? [...reached, lastLook(available, k)] : reached;
}

/** The look at `n` where later ones are still possible. */
export function regularLook(n: number, k: number): Look {
  const rowLevel = ROW_LEVELS.get(n) ?? 0;
  return { n, rowLevel, familyLevel: k <= 1 ? rowLevel : flatFamilyLevel(n, k) };
}

/** The look at `n` where it is the last one. */
export function lastLook(n: number, k: number): Look {
  if (n >= MAX_RESTARTS) return regularLook(MAX_RESTARTS, k);
  const rowLevel = ROW_LAST_LEVELS[n - MIN_RESTARTS] ?? 0;
  if (k <= 1) return { n, rowLevel, familyLevel: rowLevel };
  const tabled = FAMILY_LEVELS.find((entry) => entry.k >= k);
  return { n, rowLevel, familyLevel: tabled ? (tabled.last[n - MIN_RESTARTS] ?? 0) : flatFamilyLevel(n, k) };
}

/** The next larger tabled k is stricter; beyond the table Bonferroni over the looks, which never exceeds the total. */
function flatFamilyLevel(n: number, k: number): number {
  const tabled = FAMILY_LEVELS.find((entry) => entry.k >= k);
  const size = tabled?.k ?? k;
  if (2 ** -n > FAMILY_TOTAL / (2 * size)) return 0;
  return tabled ? tabled.flat : FAMILY_TOTAL / k / LOOKS.length;
}
