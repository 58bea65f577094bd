import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

/** First line of a trace file: where, when and how it was recorded. */
export interface TraceHeader {
  readonly schema: 'model-gate/trace@1';
  readonly condition: string;
  readonly recordedAt: string;
  readonly machine: string;
  readonly engine: string;
  /** One-minute load average before and after; above the cores' number others were computing too. */
  readonly loadBefore: number;
  readonly loadAfter: number;
  readonly model: string;
  readonly rounds: number;
  readonly iterationsPerRound: number;
}

/** One restart: both arms' kept iterations in units of 0.1 us, round after round, and their memory peaks. */
export interface TraceRestart {
  /** Layers that head has more than base: 0 is A/A from two staged copies. */
  readonly extra: number;
  readonly base: readonly number[];
  readonly head: readonly number[];
  readonly basePeak: number;
  readonly headPeak: number;
}

export interface Trace {
  readonly header: TraceHeader;
  readonly restarts: readonly TraceRestart[];
}

/** Reads a recorded trace. Restarts keep the order in which they were measured. */
export function readTrace(path: string): Trace {
  const [first = '', ...lines] = gunzipSync(readFileSync(path)).toString('utf8').trimEnd().split('\n');
  return { header: JSON.parse(first), restarts: lines.map((line) => JSON.parse(line)) };
}
