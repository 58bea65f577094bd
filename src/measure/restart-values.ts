import { mean, median, quantile } from 'simple-statistics';
import type { Restart } from './measurement.ts';

/** Turns of one arm in one restart, a list for each round, in milliseconds an iteration. */
export type ArmRounds = readonly (readonly (readonly number[])[])[];

/** What is read of one arm beside its turns; null where it is not measured in this restart. */
export interface ArmReadings {
  readonly loadMs: number | null;
  readonly firstInferenceMs: number | null;
  readonly hostPeakBytes: number | null;
  readonly gpuPeakBytes: number | null;
  readonly gpuWeightsBytes: number | null;
  /** Median of the identity model with the same inputs and fetched outputs. */
  readonly floorMs: number | null;
}

export interface ValueSettings {
  readonly batch: number;
  /** Iterations dropped at the start of every turn. */
  readonly discard: number;
  /** Metrics the plan affords; others are left out. */
  readonly metrics: ReadonlySet<string>;
}

const PERCENTILES = { 'latency.p90': 0.9, 'latency.p95': 0.95, 'latency.p99': 0.99 } as const;

/**
 * Values of one arm in one restart, in ms, B, 1/s. `latency.p50` and percentiles are type 7 over all kept
 * iterations; throughput is batch x runs / timed seconds, from round means winsorised at the restart's p95.
 */
export function restartValues(
  rounds: ArmRounds,
  readings: ArmReadings,
  settings: ValueSettings,
): Pick<Restart, 'values' | 'rounds'> {
  const kept = rounds.map((turns) => turns.flatMap((turn) => turn.slice(settings.discard)));
  const all = kept.flat();
  const p50 = median(all);
  const roundMeans = kept.map((round) => mean(round));
  const winsorisedMs = winsorisedMeans(kept, quantile(all, 0.95));
  const throughputs = winsorisedMs.map((ms) => (settings.batch * 1000) / ms);
  const values: Record<string, number | null> = {
    'latency.p50': p50,
    'latency.mean': mean(all),
    ...Object.fromEntries(Object.entries(PERCENTILES).map(([id, share]) => [id, quantile(all, share)])),
    throughput: (settings.batch * 1000) / mean(winsorisedMs),
    'load.time': readings.loadMs,
    'first.inference': readings.firstInferenceMs,
    'memory.host.peak': readings.hostPeakBytes,
    'memory.gpu.peak': readings.gpuPeakBytes,
    'memory.gpu.weights': readings.gpuWeightsBytes,
    'floor.share': readings.floorMs === null ? null : readings.floorMs / p50,
  };
  return {
    values: Object.fromEntries(
      Object.entries(values).filter(
        (entry): entry is [string, number] => entry[1] !== null && settings.metrics.has(entry[0]),
      ),
    ),
    rounds: {
      'latency.p50': kept.map((round) => median(round)),
      'latency.mean': roundMeans,
      throughput: throughputs,
    },
  };
}

function winsorisedMeans(rounds: readonly (readonly number[])[], cap: number): number[] {
  return rounds.map((round) => mean(round.map((ms) => Math.min(ms, cap))));
}

/** Why a restart's turns cannot be used; null where they can. */
export function judgeTimes(rounds: ArmRounds): string | null {
  const all = rounds.flat(2);
  if (all.length === 0) return 'no iteration was timed';
  return all.every((ms) => Number.isFinite(ms) && ms > 0) ? null : 'the clock gave a time that is not positive';
}
