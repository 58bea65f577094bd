import { METRICS } from '../metrics/metric-table.ts';

/** How hard a restart works; the defaults keep an unchanged model within 30 s at 1 ms, 90 s at 50 ms, 6 min at 1.6 s. */
export interface EffortSettings {
  readonly rounds: number;
  /** A turn of a fast model lasts at least this long and this many iterations. */
  readonly chunkMs: number;
  readonly chunkIterations: number;
  /** Kept iterations per arm and restart below which even a median is not given. */
  readonly minIterations: number;
  readonly warmUpMs: number;
  /** Seconds one restart of one case may take, both arms and all starts included, by milliseconds an inference. */
  readonly secondsByLatencyMs: readonly (readonly [latencyMs: number, seconds: number])[];
}

export const DEFAULT_EFFORT: EffortSettings = {
  rounds: 10,
  chunkMs: 50,
  chunkIterations: 20,
  minIterations: 10,
  warmUpMs: 500,
  secondsByLatencyMs: [
    [1, 4.2],
    [50, 13.5],
    [1600, 55],
  ],
};

/** Idle wait at each change of arms while the other's threads still spin. */
export const HAND_OVER_MS = 50;
/** Share of the rounds that full turns are worth giving up others for. */
const FEWEST_FULL_ROUNDS = 0.8;
/** Above this an inference is slow: warm-up may take a fifth of the restart at most. */
const SLOW_MODEL_MS = 100;

/** What was learned from one solo start of each arm; the slower arm counts. */
export interface EffortInput {
  readonly latencyMs: number;
  /** Start, load and first runs of both arms in the restart, without warm-up; shared by the group's cases. */
  readonly startMs: number;
  /** Cases that share the restart, and so its starts. */
  readonly casesInGroup: number;
  readonly handOverMs: number;
  /** Longest quota period times two; 0 without a quota. A power-capped card asks for 1 s. */
  readonly minChunkMs: number;
}

/** Effort of one case, equal for both arms. */
export interface Effort {
  readonly rounds: number;
  /** Iterations of one turn; a round has two turns of each arm. */
  readonly chunkIterations: number;
  /** `fit`: early iterations of a turn are dropped while caches re-warm. */
  readonly discard: 'fit' | 'none';
  readonly warmUpMs: number;
  readonly warmUpCapMs: number;
  /** Kept iterations per arm and restart, at the largest discard. */
  readonly keptIterations: number;
  /** Expected time of this case in a restart without its share of the starts. */
  readonly restartMs: number;
}

/** Seconds a restart may take for a model of this latency: a straight line on double logarithmic paper. */
export function restartSeconds(latencyMs: number, settings: EffortSettings): number {
  const points = settings.secondsByLatencyMs;
  const upper = points.findIndex(([at]) => at >= latencyMs);
  const [toMs, toS] = points[upper === -1 ? points.length - 1 : upper] ?? [1, 0];
  const [fromMs, fromS] = points[(upper === -1 ? points.length - 1 : upper) - 1] ?? [0, 0];
  if (fromMs === 0) return toS;
  const slope = Math.log(toS / fromS) / Math.log(toMs / fromMs);
  return toS * (latencyMs / toMs) ** slope;
}

/**
 * Fits rounds and turns to the time a restart may take. Fast models get turns of at least 50 ms and 20 iterations;
 * slower ones shorter turns, down to a single iteration, then fewer rounds, but never under the least kept count.
 */
export function planEffort(input: EffortInput, settings: EffortSettings): Effort {
  const { latencyMs } = input;
  const totalMs = restartSeconds(latencyMs, settings) * 1000;
  const warmUpCapMs =
    latencyMs > SLOW_MODEL_MS ? Math.max(totalMs / 10, 2 * latencyMs) : Math.max(3 * settings.warmUpMs, 4 * latencyMs);
  const warmUpMs = Math.max(settings.warmUpMs, 2 * latencyMs);
  const availableMs = totalMs - input.startMs / input.casesInGroup - 2 * warmUpMs;
  const { rounds, chunkIterations } = fitTurns(availableMs, input, settings);
  const discard = chunkIterations >= settings.chunkIterations ? 'fit' : 'none';
  const keptInChunk = discard === 'fit' ? Math.ceil(chunkIterations / 2) : chunkIterations;
  return {
    rounds,
    chunkIterations,
    discard,
    warmUpMs,
    warmUpCapMs,
    keptIterations: 2 * rounds * keptInChunk,
    restartMs: 2 * warmUpMs + rounds * roundMs(chunkIterations, input),
  };
}

/**
 * Full turns where at least the fewest rounds of them fit; else all rounds of shorter turns; else fewer rounds of
 * single iterations.
 */
function fitTurns(
  availableMs: number,
  input: EffortInput,
  settings: EffortSettings,
): { readonly rounds: number; readonly chunkIterations: number } {
  const { latencyMs } = input;
  const least = Math.max(1, Math.ceil(input.minChunkMs / latencyMs));
  const full = Math.max(least, settings.chunkIterations, Math.ceil(settings.chunkMs / latencyMs));
  const fullRounds = Math.min(settings.rounds, Math.floor(availableMs / roundMs(full, input)));
  if (fullRounds >= settings.rounds * FEWEST_FULL_ROUNDS || least === full)
    return { rounds: Math.max(1, fullRounds, Math.ceil(settings.rounds * FEWEST_FULL_ROUNDS)), chunkIterations: full };
  const affordable = Math.floor((availableMs / settings.rounds - roundMs(0, input)) / (4 * latencyMs));
  const chunkIterations = Math.max(least, Math.min(full, affordable));
  if (chunkIterations > 1) return { rounds: settings.rounds, chunkIterations };
  const fewest = Math.max(4, Math.ceil(settings.minIterations / 2));
  const rounds = Math.floor(availableMs / roundMs(1, input));
  return { rounds: clamp(rounds, fewest, Math.max(fewest, settings.rounds)), chunkIterations };
}

/** Four turns and the hand-overs between them: two inside a round, one more before every second round. */
function roundMs(chunkIterations: number, { latencyMs, handOverMs }: EffortInput): number {
  return 4 * chunkIterations * latencyMs + 2.5 * handOverMs;
}

/** Timed metrics the effort reaches, and the others with the reason a person reads. */
export function reachableMetrics(
  effort: Pick<Effort, 'keptIterations'>,
  candidates: readonly string[],
): { readonly metrics: string[]; readonly unreachable: { readonly metric: string; readonly reason: string }[] } {
  const needs = (id: string): number => METRICS.get(id)?.minIterations ?? 0;
  return {
    metrics: candidates.filter((id) => needs(id) <= effort.keptIterations),
    unreachable: candidates
      .filter((id) => needs(id) > effort.keptIterations)
      .map((metric) => ({
        metric,
        reason: `needs ${needs(metric)} kept iterations per arm and restart, the time affords ${effort.keptIterations}`,
      })),
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
