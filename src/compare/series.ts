import type { Better } from '../metrics/metric-table.ts';
import type { CanonicalUnit } from '../metrics/units.ts';
import type { ValidPair } from './pairing.ts';
import { hodgesLehmann } from './walsh.ts';

/** What a row needs to know of its metric. */
export interface MetricFacts {
  readonly id: string;
  readonly unit: CanonicalUnit;
  readonly better: Better;
}

/** One row's evidence: one number a restart, worse is positive. */
export interface Series {
  /** `ratio`: `d` is log(head/base); `difference`: it is head − base, where a value is zero or negative. */
  readonly scale: 'ratio' | 'difference';
  readonly d: readonly number[];
  readonly base: readonly number[];
  readonly head: readonly number[];
  /** Below this a difference counts as zero. */
  readonly negligible: number;
}

/** Why a row's values cannot be compared. */
export interface SeriesFault {
  readonly kind: 'one-sided' | 'not-positive';
  readonly fault: string;
}

const NEGLIGIBLE_LOG = 1e-6;
const NEGLIGIBLE_SHARE = 1e-9;
/** Steps to which differences are rounded, in parts of what is negligible: equal ones stay ties in every unit. */
const STEPS = 1e3;
const MAX_ONE_SIDED_SHARE = 0.3;

/**
 * The restart series of a metric: Hodges-Lehmann over rounds of the log ratio where both arms have rounds,
 * else the log ratio of the restart's values. Restarts in which neither arm measured the metric are left out.
 */
export function seriesOf(pairs: readonly ValidPair[], metric: MetricFacts): Series | SeriesFault {
  const touched = pairs.filter((pair) => hasValue(pair.base, metric.id) || hasValue(pair.head, metric.id));
  const complete = touched.filter((pair) => hasValue(pair.base, metric.id) && hasValue(pair.head, metric.id));
  const oneSided = touched.length - complete.length;
  if (oneSided > MAX_ONE_SIDED_SHARE * touched.length) {
    return { kind: 'one-sided', fault: `${oneSided} of ${touched.length} restarts hold ${metric.id} in one arm only` };
  }
  const base = complete.map((pair) => pair.base.values[metric.id] ?? 0);
  const head = complete.map((pair) => pair.head.values[metric.id] ?? 0);
  const rounds = complete.map((pair) => roundsOf(pair, metric.id));
  const all = [...base, ...head, ...rounds.flatMap((pair) => (pair ? [...pair.base, ...pair.head] : []))];
  const worst = all.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  if (worst <= 0 && isTime(metric.unit)) {
    return { kind: 'not-positive', fault: `${metric.id} holds ${worst} ${metric.unit}, which no clock measures` };
  }
  const sign = metric.better === 'lower' ? 1 : -1;
  if (worst <= 0) {
    const negligible = NEGLIGIBLE_SHARE * all.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const d = base.map((value, i) => roundTo(negligible / STEPS, sign * ((head[i] ?? 0) - value)));
    return { scale: 'difference', d, base, head, negligible };
  }
  const ratios = complete.map((_, i) => logRatio(rounds[i] ?? { base: [base[i] ?? 1], head: [head[i] ?? 1] }));
  const d = ratios.map((ratio) => roundTo(NEGLIGIBLE_LOG / STEPS, sign * ratio));
  return { scale: 'ratio', d, base, head, negligible: NEGLIGIBLE_LOG };
}

interface Rounds {
  readonly base: readonly number[];
  readonly head: readonly number[];
}

function roundsOf(pair: ValidPair, id: string): Rounds | null {
  const base = pair.base.rounds?.[id];
  const head = pair.head.rounds?.[id];
  return base?.length && head?.length ? { base, head } : null;
}

function logRatio({ base, head }: Rounds): number {
  return hodgesLehmann(base.map((value, j) => Math.log(head[j] ?? value) - Math.log(value)));
}

function roundTo(step: number, value: number): number {
  return step > 0 ? Math.round(value / step) * step : value;
}

function hasValue(restart: ValidPair['base'], id: string): boolean {
  return Object.hasOwn(restart.values, id);
}

/** Units whose values are positive by nature; a zero means that nothing was timed. */
function isTime(unit: CanonicalUnit): boolean {
  return unit === 'ms' || unit === '1/s';
}
