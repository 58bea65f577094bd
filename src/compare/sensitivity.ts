import jstat from 'jstat';
import { LOOKS } from '../plan/time-budget.ts';
import { type Look, lastLook, MAX_RESTARTS, MIN_RESTARTS, regularLook } from './looks.ts';
import { untiedTails } from './signed-rank.ts';

/** What a row's restarts say about its noise: the centre and the spread of `d`. */
export interface Spread {
  readonly n: number;
  readonly centre: number;
  readonly sd: number;
}

/** Chance of a verdict that "could have seen" promises. */
const DETECT_POWER = 0.9;
/** Chance of a verdict that "n more restarts" promises. */
const SETTLE_POWER = 0.8;

/**
 * Smallest worsening, in the series' scale, that the looks up to `n` prove with a chance of 90 %: beyond the
 * threshold at the row level and above zero at the family level. Null where `n` restarts can prove nothing at
 * this k.
 */
export function smallestDetectable(spread: Spread, threshold: number, n: number, k: number): number | null {
  const look = lookAt(n, k);
  if (look === null || !Number.isFinite(threshold)) return null;
  const beyond = effectNeeded(n, look.rowLevel, DETECT_POWER);
  const different = effectNeeded(n, look.familyLevel, DETECT_POWER);
  if (beyond === null || different === null) return null;
  return Math.max(threshold + beyond * spread.sd, different * spread.sd);
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

/** Under the present trend the chance of a verdict by the last look is below 2 % (conditional power; Lachin 2005). */
export function isFutile(spread: Spread, threshold: number): boolean {
  if (spread.n < FUTILITY_FROM || spread.n >= MAX_RESTARTS) return false;
  const needed = upperZ(regularLook(MAX_RESTARTS, 1).rowLevel);
  const expected = (Math.abs(spread.centre - threshold) * Math.sqrt(MAX_RESTARTS)) / spread.sd;
  return expected < needed - FUTILITY_Z * Math.sqrt((MAX_RESTARTS - spread.n) / MAX_RESTARTS);
}

const FUTILITY_FROM = 28;
const FUTILITY_Z = 2.0537;

function settles({ n, rowLevel, familyLevel }: Look, { centre, sd }: Spread, threshold: number): boolean {
  const reaches = (distance: number, level: number): boolean => {
    const effect = effectNeeded(n, level, SETTLE_POWER);
    return distance > 0 && effect !== null && distance >= effect * sd;
  };
  const passes = reaches(threshold - centre, rowLevel);
  return passes || (reaches(centre - threshold, rowLevel) && reaches(centre, familyLevel));
}

/** From this many sign patterns within the level on, the test's steps are too fine to matter. */
const FINE_STEPS = 100;

/**
 * Shift, in standard deviations, that the signed-rank test proves at `level` with the given chance; null where
 * 2^-n exceeds the level. Where only "all signs agree" is enough, that chance itself; else the power of the
 * t-test (its normal approximation) at the level the discrete test attains. Within 7 % for normal noise.
 */
function effectNeeded(n: number, level: number, power: number): number | null {
  const patterns = level * 2 ** n;
  if (patterns < 1) return null;
  const attained = patterns < FINE_STEPS ? Math.max(...untiedTails(n).filter((p) => p <= level)) : level;
  if (attained < 2 * 2 ** -n) return jstat.normal.inv(power ** (1 / n), 0, 1);
  const t = -jstat.studentt.inv(attained, n - 1);
  return (t + jstat.normal.inv(power, 0, 1) * Math.sqrt(1 + (t * t) / (2 * (n - 1)))) / Math.sqrt(n);
}

/** The levels that hold after `n` restarts; null below the first look. */
export function lookAt(n: number, k: number): Look | null {
  if (n < MIN_RESTARTS) return null;
  return LOOKS.some((look) => look === n) ? regularLook(n, k) : lastLook(n, k);
}

function upperZ(level: number): number {
  return -jstat.normal.inv(level, 0, 1);
}
