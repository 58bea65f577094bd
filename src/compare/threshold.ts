import { median } from 'simple-statistics';
import { FAST_MODEL, type Margin } from '../metrics/metric-table.ts';
import type { MetricFacts, Series } from './series.ts';

/** What a row may get worse by, in its series' own scale. */
export interface Threshold {
  /** Worse by more than this is beyond: a log ratio, or a difference in the metric's unit. */
  readonly at: number;
  /** The margin as a positive fraction of base; null where base is zero. */
  readonly fraction: number | null;
  /** Which of the two allowances is the smaller one. */
  readonly by: 'margin' | 'max-increase';
}

/** What the policy allows a row to get worse by; null where that kind is not judged. */
export interface Allowance {
  readonly margin: Margin | null;
  readonly maxIncrease: number | null;
}

const LARGEST_LOSS = 1 - 1e-9;

/**
 * The threshold after the first `n` restarts. "Beyond the fraction and the floor" is one threshold: the
 * larger of the fraction and floor ÷ median base. Below 200 us of base p50 the floor is at least 2 us.
 * A max-increase is a limit of its own, so the smaller of the two holds. Infinity where nothing is judged.
 */
export function thresholdAfter(n: number, series: Series, allowance: Allowance, metric: MetricFacts): Threshold {
  const base = Math.abs(median(series.base.slice(0, n)));
  const margin = allowance.margin ? marginExcess(allowance.margin, base, metric) : Number.POSITIVE_INFINITY;
  const increase = allowance.maxIncrease ?? Number.POSITIVE_INFINITY;
  const fraction = base > 0 && Number.isFinite(margin) ? margin / base : null;
  const by = increase < margin ? 'max-increase' : 'margin';
  const excess = Math.min(margin, increase);
  return { at: series.scale === 'difference' ? excess : logExcess(excess / base, metric), fraction, by };
}

/** The margin as an excess in the metric's unit. */
function marginExcess({ fraction, floor }: Margin, base: number, metric: MetricFacts): number {
  const isFast = metric.id === 'latency.p50' && base < FAST_MODEL.belowMs;
  return Math.max(fraction * base, isFast ? Math.max(floor, FAST_MODEL.floorMs) : floor);
}

/** A loss of throughput by the fraction f is a cost ratio of 1/(1 − f). */
function logExcess(fraction: number, { better }: MetricFacts): number {
  return better === 'lower' ? Math.log1p(fraction) : -Math.log1p(-Math.min(fraction, LARGEST_LOSS));
}
