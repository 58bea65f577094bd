import type { ValidPair } from '../../src/compare/pairing.ts';
import type { NextRestart } from './duet-source.ts';
import type { Chance } from './noise.ts';
import { HISTORY, medianOf, type PeerEvidence, RUNS } from './peer-evidence.ts';
import { summariseRestart } from './restart-summary.ts';
import type { Trace, TraceRestart } from './trace-file.ts';

/** Successive restarts that are drawn together, so that what lasts longer than a restart stays in. */
const BLOCK = 6;
const UNITS_PER_MS = 10_000;

/** Recorded restarts of one variant, ready to be drawn from. */
export interface RecordedVariant {
  readonly extra: number;
  readonly pairs: readonly ValidPair[];
  readonly restarts: readonly TraceRestart[];
}

/** The restarts with `extra` more layers in head, in the order of recording. */
export function variantOf(trace: Trace, extra: number): RecordedVariant {
  const restarts = trace.restarts.filter((restart) => restart.extra === extra);
  const pairs = restarts.map((restart, index) => ({
    base: summariseRestart(timesOf(restart.base), restart.basePeak, index),
    head: summariseRestart(timesOf(restart.head), restart.headPeak, index),
  }));
  return { extra, pairs, restarts };
}

/**
 * A case drawn from recorded restarts, in blocks of six successive ones from a random place; without a change the
 * arms of a block are exchanged by coin, as either copy could have been called base.
 */
export function openRecorded({ pairs, extra }: RecordedVariant, { uniform }: Chance): NextRestart {
  let at = 0;
  let isSwapped = false;
  return (index) => {
    if (index % BLOCK === 0) {
      at = Math.floor(uniform() * pairs.length);
      isSwapped = extra === 0 && uniform() < 0.5;
    }
    const pair = pairs[(at + (index % BLOCK)) % pairs.length];
    if (!pair) throw new Error('the trace holds no restart of this variant');
    const [base, head] = isSwapped ? [pair.head, pair.base] : [pair.base, pair.head];
    return { base: { ...base, index }, head: { ...head, index } };
  };
}

/** Ten successive base runs, then ten successive head runs, from a random place; the past is base runs before them. */
export function recordedEvidence(
  variant: RecordedVariant,
  unchanged: RecordedVariant,
  { uniform }: Chance,
): PeerEvidence {
  const start = Math.floor(uniform() * variant.restarts.length);
  const past = Math.floor(uniform() * unchanged.restarts.length);
  const run = (from: RecordedVariant, arm: 'base' | 'head', at: number) =>
    timesOf(from.restarts[at % from.restarts.length]?.[arm] ?? []);
  const base = Array.from({ length: RUNS }, (_, i) => run(variant, 'base', start + i));
  const head = Array.from({ length: RUNS }, (_, i) => run(variant, 'head', start + RUNS + i));
  const history = Array.from({ length: HISTORY }, (_, i) => medianOf(run(unchanged, 'base', past + i)));
  return { base, head, history, today: medianOf(head[0] ?? new Float64Array()) };
}

function timesOf(units: readonly number[]): Float64Array {
  return Float64Array.from(units, (unit) => unit / UNITS_PER_MS);
}
