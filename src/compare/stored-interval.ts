import jstat from 'jstat';
import type { SessionCost } from './stored-history.ts';

/** What one more session of an unchanged model would show. */
export interface Prediction {
  readonly centre: number;
  /** One-sided 5 % half width: t * s * sqrt(1 + 1/K), K − 1 degrees of freedom. */
  readonly halfWidth: number;
  /** The same at the family's level .05 / k: beyond it head differs at all. */
  readonly familyWidth: number;
  /** The same at 10 %: added to the others it gives the change found nine times in ten. */
  readonly powerWidth: number;
}

export interface PredictionRequest {
  readonly centre: number;
  /** Sample standard deviation between sessions. */
  readonly spread: number;
  readonly count: number;
  readonly k: number;
}

const LEVEL = 0.05;

/** Prediction interval of a new session after `count` sessions; statistics.md §4.4. */
export function predict({ centre, spread, count, k }: PredictionRequest): Prediction {
  const width = (level: number) => jstat.studentt.inv(1 - level, count - 1) * spread * Math.sqrt(1 + 1 / count);
  return { centre, halfWidth: width(LEVEL), familyWidth: width(LEVEL / Math.max(1, k)), powerWidth: width(0.1) };
}

export type SessionDecision = 'beyond' | 'within' | 'improved' | 'undecided';

/** Rounding: a value exactly at the margin is within it. */
const NEGLIGIBLE = 1e-9;

/** One session of head against the prediction; costs are logs, worse is positive, `margin` a fraction. */
export function judgeSession(cost: number, margin: number, prediction: Prediction): SessionDecision {
  const delta = cost - prediction.centre;
  const mu = Math.log1p(margin) + NEGLIGIBLE;
  const { halfWidth, familyWidth } = prediction;
  if (delta - halfWidth > mu && delta > familyWidth) return 'beyond';
  if (delta + halfWidth < -mu && delta < -familyWidth) return 'improved';
  return delta + halfWidth <= mu ? 'within' : 'undecided';
}

const SESSIONS_OF_A_MODE = 2;

/** True where accepted sessions that were left out were as slow as head is now: a second mode, not a regression. */
export function isSlowMode(cost: number, margin: number, leftOut: readonly SessionCost[]): boolean {
  const asSlow = leftOut.filter((entry) => entry.cost >= cost - Math.log1p(margin));
  return asSlow.length >= SESSIONS_OF_A_MODE;
}
