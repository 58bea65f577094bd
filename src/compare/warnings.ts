import { median, sampleStandardDeviation } from 'simple-statistics';
import { LOADED_FIRST } from '../measure/load-note.ts';
import type { Note } from '../measure/measurement.ts';
import { fisherTwoSided } from './fisher.ts';
import { findModes } from './modes.ts';
import type { ValidPair } from './pairing.ts';
import type { RowFinding } from './row-finding.ts';
import { judgeOf } from './row-rule.ts';
import { type MetricFacts, type Series, seriesOf } from './series.ts';

const MAX_AUTOCORRELATION = 0.4;
/** Below this many restarts chance alone gives correlations of 0.4. */
const MIN_FOR_CORRELATION = 13;
const COARSE_TICK_SHARE = 0.005;
const HOST_BOUND_SHARE = 0.3;
const ORDER_LEVEL = 0.01;
const TAIL_METRICS: ReadonlySet<string> = new Set(['latency.p90', 'latency.p95', 'latency.p99']);

/** What in a row's restarts makes its figures less telling than they look; the verdict stands all the same. */
export function warningsOf(pairs: readonly ValidPair[], metric: MetricFacts, { margin }: RowFinding): Note[] {
  if (judgeOf(metric.id) !== 'signed-rank') return [];
  const series = seriesOf(pairs, metric);
  if ('fault' in series) return [];
  const isLatency = metric.id.startsWith('latency.');
  return [
    ...modeWarning(series),
    ...correlationWarning(series.d),
    ...(isLatency ? tickWarning(pairs, series, metric) : []),
    ...(TAIL_METRICS.has(metric.id) ? tailWarning(series, margin) : []),
    ...(isLatency ? hostWarning(pairs, series) : []),
    ...orderWarning(pairs, series),
  ];
}

function modeWarning({ scale, base }: Series): Note[] {
  const modes = scale === 'ratio' ? findModes(base.map(Math.log)) : null;
  if (modes === null) return [];
  const apart = ((Math.exp(modes.high - modes.low) - 1) * 100).toFixed(1);
  const text = `base has two modes, ${apart} % apart (${modes.highCount} of ${base.length} restarts in the high one): a process is fast or slow for life, so more restarts are needed`;
  return [{ code: 'bimodal-restarts', text }];
}

function correlationWarning(d: readonly number[]): Note[] {
  if (d.length < MIN_FOR_CORRELATION) return [];
  const rho = lagOneCorrelation(d);
  if (Math.abs(rho) <= MAX_AUTOCORRELATION) return [];
  const text = `successive restarts depend on each other (correlation ${rho.toFixed(2)}): the machine changes more slowly than restarts come`;
  return [{ code: 'autocorrelated-restarts', text }];
}

/** Correlation of each value with its successor; 0 for a constant series. */
export function lagOneCorrelation(d: readonly number[]): number {
  const mean = d.reduce((sum, value) => sum + value, 0) / d.length;
  const square = d.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const lagged = d.slice(1).reduce((sum, value, i) => sum + (value - mean) * ((d[i] ?? mean) - mean), 0);
  return square === 0 ? 0 : lagged / square;
}

/** Many equal times mean that the clock's tick, not the model, sets the figure. */
function tickWarning(pairs: readonly ValidPair[], { base, head }: Series, metric: MetricFacts): Note[] {
  const rounds = pairs.flatMap((pair) => [pair.base, pair.head].flatMap((arm) => arm.rounds?.[metric.id] ?? []));
  const values = rounds.length > 0 ? rounds : [...base, ...head];
  const distinct = [...new Set(values)].sort((a, b) => a - b);
  if (values.length < 8 || distinct.length < 2 || distinct.length > values.length / 2) return [];
  const tick = Math.min(...distinct.slice(1).map((value, i) => value - (distinct[i] ?? value)));
  const share = tick / median(distinct);
  if (share <= COARSE_TICK_SHARE) return [];
  const text = `the clock ticks in steps of ${(share * 100).toFixed(1)} % of the value: smaller changes can't be seen; measure a larger batch`;
  return [{ code: 'coarse-timer', text }];
}

function tailWarning({ d, scale }: Series, margin: number | null): Note[] {
  if (scale !== 'ratio' || margin === null || d.length < 6) return [];
  const spread = sampleStandardDeviation([...d]);
  if (spread <= margin) return [];
  const text = `the tail varies by ${(spread * 100).toFixed(1)} % between restarts, more than its margin: it needs more iterations or a quieter machine`;
  return [{ code: 'noisy-tail', text }];
}

function hostWarning(pairs: readonly ValidPair[], { d }: Series): Note[] {
  const shares = pairs.flatMap((pair) => [pair.head.values['floor.share'] ?? []].flat());
  if (shares.length === 0 || d.length === 0) return [];
  const share = median(shares);
  if (share <= HOST_BOUND_SHARE) return [];
  const text = `host bound: ${(share * 100).toFixed(0)} % of the time is call overhead, so a change of the model itself is ${(1 / (1 - Math.min(share, 0.99))).toFixed(1)} times what is shown; measure a larger batch`;
  return [{ code: 'host-bound', text }];
}

/** Whether head does better or worse in restarts where it was started first: counts above the median, by order. */
function orderWarning(pairs: readonly ValidPair[], { d }: Series): Note[] {
  if (pairs.length !== d.length || d.length < 12) return [];
  const isFirst = pairs.map((pair) => pair.head.notes.includes(LOADED_FIRST));
  const middle = median([...d]);
  const count = (first: boolean, above: boolean) =>
    d.filter((value, i) => isFirst[i] === first && value > middle === above).length;
  const counts = {
    hitsA: count(true, true),
    missesA: count(true, false),
    hitsB: count(false, true),
    missesB: count(false, false),
  };
  if (counts.hitsA + counts.missesA === 0 || counts.hitsB + counts.missesB === 0) return [];
  if (fisherTwoSided(counts) > ORDER_LEVEL) return [];
  const text =
    'the result depends on which arm was started first: check what the first start leaves behind (caches, clocks, memory)';
  return [{ code: 'order-effect', text }];
}
