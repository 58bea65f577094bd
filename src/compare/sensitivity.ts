import jstat from 'jstat';
import { LOOKS } from '../plan/time-budget.ts';
import { type Look, lastLook, MAX_RESTARTS, MIN_RESTARTS, regularLook } from './looks.ts';

/** What a row's restarts say about its noise: the centre and the spread of `d`. */
export interface Spread {
  readonly n: number;
  readonly centre: number;
  readonly sd: number;
}

/** Chance of a verdict that "could have seen" promises. */
const DETECT_POWER_Z = 1.2816;
/** Chance of a verdict that "n more restarts" promises. */
const SETTLE_POWER_Z = 0.8416;

/**
 * Smallest worsening, in the series' scale, that the looks up to `n` prove with a chance of 90 %: beyond the
 * threshold at the row level and above zero at the family level (normal approximation of the signed-rank
 * test; statistics.md 2.4 checks it by simulation). Null where `n` restarts can prove nothing at this k.
 */
export function smallestDetectable(spread: Spread, threshold: number, n: number, k: number): number | null {
  const look = lookAt(n, k);
  if (look === null || !canProve(look) || !Number.isFinite(threshold)) return null;
  const step = spread.sd / Math.sqrt(n);
  return Math.max(
    threshold + (upperZ(look.rowLevel) + DETECT_POWER_Z) * step,
    (upperZ(look.familyLevel) + DETECT_POWER_Z) * step,
  );
}

/**
 * Restarts still needed to settle an undecided row if its trend holds: up to the first look whose test has
 * four chances in five. Null where even 41 restarts would not do.
 */
export function furtherRestarts(spread: Spread, threshold: number, k: number): number | null {
  if (spread.n < MIN_RESTARTS) return MIN_RESTARTS - spread.n;
  const target = LOOKS.find((n) => n > spread.n && settles(regularLook(n, k), spread, threshold));
  return target === undefined ? null : target - spread.n;
}

/** Under the present trend the chance of a verdict by the last look is below 10 % (conditional power). */
export function isFutile(spread: Spread, threshold: number): boolean {
  if (spread.n < FUTILITY_FROM || spread.n >= MAX_RESTARTS) return false;
  const needed = upperZ(regularLook(MAX_RESTARTS, 1).rowLevel);
  const expected = (Math.abs(spread.centre - threshold) * Math.sqrt(MAX_RESTARTS)) / spread.sd;
  return expected < needed - DETECT_POWER_Z * Math.sqrt((MAX_RESTARTS - spread.n) / MAX_RESTARTS);
}

const FUTILITY_FROM = 19;

function settles(look: Look, { centre, sd }: Spread, threshold: number): boolean {
  const reaches = (distance: number, level: number): boolean =>
    distance > 0 && 2 ** -look.n <= level && distance * Math.sqrt(look.n) >= (upperZ(level) + SETTLE_POWER_Z) * sd;
  const passes = reaches(threshold - centre, look.rowLevel);
  return passes || (reaches(centre - threshold, look.rowLevel) && reaches(centre, look.familyLevel));
}

function canProve(look: Look): boolean {
  return 2 ** -look.n <= Math.min(look.rowLevel, look.familyLevel);
}

/** The levels that hold after `n` restarts; null below the first look. */
export function lookAt(n: number, k: number): Look | null {
  if (n < MIN_RESTARTS) return null;
  return LOOKS.some((look) => look === n) ? regularLook(n, k) : lastLook(n, k);
}

function upperZ(level: number): number {
  return -jstat.normal.inv(level, 0, 1);
}
