import { mean, sampleVariance } from 'simple-statistics';
import { METRICS } from '../metrics/metric-table.ts';
import type { Effort } from './effort.ts';
import type { RestartPair } from './measurer.ts';

const MOST_ROUNDS = 40;
const FEWEST_ROUNDS = 4;
/** Part of a restart's spread that rounds can never remove; keeps the optimum finite (statistics.md §2.3). */
const LEAST_RESTART_SHARE = 0.05;
/** A restart that took longer than twice its plan would break the promised time. */
const LONGEST = 2;

export interface RoundCosts {
  /** Starts, loads and warm-ups of both arms in one restart. */
  readonly startMs: number;
  readonly roundMs: number;
}

/**
 * Rounds that make the most of the time: sqrt(start ÷ round cost) × round spread ÷ restart spread, between 4 and 40
 * (Kalibera & Jones 2013, two levels). `logRatios` holds each restart's log ratios of rounds; null where they tell nothing.
 */
export function optimalRounds(logRatios: readonly (readonly number[])[], costs: RoundCosts): number | null {
  const restarts = logRatios.filter((rounds) => rounds.length > 1);
  if (restarts.length < 3) return null;
  const roundVariance = mean(restarts.map((rounds) => sampleVariance([...rounds])));
  const total = sampleVariance(restarts.map((rounds) => mean([...rounds])));
  const perRestart = mean(restarts.map((rounds) => rounds.length));
  const restartVariance = Math.max(total - roundVariance / perRestart, LEAST_RESTART_SHARE * total);
  if (!(restartVariance > 0) || !(roundVariance > 0) || !(costs.roundMs > 0)) return null;
  const optimum = Math.sqrt((costs.startMs / costs.roundMs) * (roundVariance / restartVariance));
  return Math.min(MOST_ROUNDS, Math.max(FEWEST_ROUNDS, Math.round(optimum)));
}

/** The effort of later restarts with these rounds: never too few for what the case promised, never twice as long. */
export function withRounds(effort: Effort, asked: number, costs: RoundCosts, promised: ReadonlySet<string>): Effort {
  const keptInRound = effort.keptIterations / effort.rounds;
  const needed = Math.max(0, ...[...promised].map((id) => METRICS.get(id)?.minIterations ?? 0));
  const least = Math.min(effort.rounds, Math.ceil(needed / keptInRound));
  const most = Math.max(effort.rounds, Math.floor(effort.rounds + ((LONGEST - 1) * effort.restartMs) / costs.roundMs));
  const rounds = Math.min(most, Math.max(least, asked));
  const restartMs = effort.restartMs + (rounds - effort.rounds) * costs.roundMs;
  return { ...effort, rounds, keptIterations: Math.floor(keptInRound * rounds), restartMs };
}

/** Log ratios of head's to base's round medians in one restart; empty where it is invalid or has no base. */
export function roundLogRatios(pair: RestartPair | undefined): number[] {
  const [base, head] = [pair?.base, pair?.head].map((restart) =>
    restart?.valid ? (restart.rounds?.['latency.p50'] ?? []) : [],
  );
  if (!base || !head || base.length !== head.length) return [];
  return head.map((value, round) => Math.log(value / (base[round] ?? Number.NaN))).filter(Number.isFinite);
}
