import { median, sampleStandardDeviation } from 'simple-statistics';
import { LOADED_FIRST } from '../measure/load-note.ts';
import { findModes } from './modes.ts';
import type { ValidPair } from './pairing.ts';
import { smallestDetectable } from './sensitivity.ts';
import { type MetricFacts, seriesOf } from './series.ts';
import { pAbove } from './signed-rank.ts';
import { hodgesLehmann } from './walsh.ts';

/** What two copies of one model, measured against each other, say of a machine. All shares are fractions. */
export interface Agreement {
  readonly restarts: number;
  /** Medians over restarts, canonical unit. */
  readonly base: number;
  readonly head: number;
  /** How far the copies seem apart, +0.01 is 1 %: noise, or a bias of the machine. */
  readonly difference: number;
  /** Whether equal bytes look different beyond chance. */
  readonly isBiased: boolean;
  /** Standard deviation of a restart's log-ratio. */
  readonly spread: number;
  /** Difference where head was started first, and second; null where an order is missing. */
  readonly byOrder: { readonly first: number; readonly second: number } | null;
  /** Distance of the two speeds that processes come in; null where there is one. */
  readonly modes: number | null;
  /** The smallest change that is proven beyond the margin, by restarts; null where none is. */
  readonly provable: readonly { readonly restarts: number; readonly change: number | null }[];
}

/** All of eight restarts agree: one machine in 128 looks biased by chance. */
const BIAS_LEVEL = 2 ** -8;
/** The first look, a middling one and the last. */
const PROVABLE_AT = [6, 13, 41];

/**
 * Summary of an A/A on a metric that has ratios, at `margin` (a fraction), for one row judged alone. Null below two
 * restarts, or where values have no ratio.
 */
export function describeAgreement(pairs: readonly ValidPair[], metric: MetricFacts, margin: number): Agreement | null {
  const series = seriesOf(pairs, metric);
  if ('fault' in series || series.scale !== 'ratio' || series.d.length < 2) return null;
  const { d, base, head, negligible } = series;
  const sd = sampleStandardDeviation([...d]);
  const centre = hodgesLehmann(d);
  const mirrored = d.map((value) => -value);
  const modes = findModes([...base, ...head].map(Math.log));
  return {
    restarts: d.length,
    base: median([...base]),
    head: median([...head]),
    difference: Math.expm1(centre),
    isBiased: Math.min(pAbove(d, 0, negligible), pAbove(mirrored, 0, negligible)) <= BIAS_LEVEL,
    spread: sd,
    byOrder: byOrder(pairs, d),
    modes: modes && Math.expm1(modes.high - modes.low),
    provable: PROVABLE_AT.map((restarts) => {
      const change = smallestDetectable({ n: d.length, centre: 0, sd }, Math.log1p(margin), restarts, 1);
      return { restarts, change: change === null ? null : Math.expm1(change) };
    }),
  };
}

function byOrder(pairs: readonly ValidPair[], d: readonly number[]): Agreement['byOrder'] {
  if (pairs.length !== d.length) return null;
  const isFirst = pairs.map((pair) => pair.head.notes.includes(LOADED_FIRST));
  const first = d.filter((_, i) => isFirst[i]);
  const second = d.filter((_, i) => !isFirst[i]);
  if (first.length === 0 || second.length === 0) return null;
  return { first: Math.expm1(median(first)), second: Math.expm1(median(second)) };
}
