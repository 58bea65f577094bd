import { type Chance, openMachine, PER_RUN, ROUNDS, START_TURNS, startProcess, TURN } from './noise.ts';
import { quantileOf } from './restart-summary.ts';
import type { Scenario } from './scenarios.ts';

/** Runs of each arm that rules over several runs get: as many process starts as ten restarts take. */
export const RUNS = 10;
/** Sessions that rules over a stored history look back on. */
export const HISTORY = 30;
/** How much sessions on other days differ: assumed, as one machine in one hour can't tell. */
const SESSION_SD = 0.01;

/** What rules without a duet are given: all base runs first, then all head runs, and base's own past. */
export interface PeerEvidence {
  readonly base: readonly Float64Array[];
  readonly head: readonly Float64Array[];
  /** Median of one run in each of the last sessions. */
  readonly history: readonly number[];
  /** Median of one head run in today's session. */
  readonly today: number;
}

/** Evidence from one scenario; every job meets a machine of its own. */
export function simulateEvidence(scenario: Scenario, chance: Chance): PeerEvidence {
  const runs = runBlock(scenario, chance, 2 * RUNS);
  const sessions = Array.from({ length: HISTORY + 1 }, () => {
    const [run = new Float64Array()] = runBlock(scenario, chance, 1);
    return medianOf(run) * Math.exp(SESSION_SD * chance.normal());
  });
  const [today = 1, ...history] = sessions;
  return { base: runs.slice(0, RUNS), head: runs.slice(RUNS), history, today };
}

function runBlock(scenario: Scenario, chance: Chance, count: number): Float64Array[] {
  const machine = openMachine(scenario, chance);
  return Array.from({ length: count }, () => {
    const process = startProcess(scenario, chance);
    const times = new Float64Array(PER_RUN);
    machine.advance(START_TURNS);
    for (let turn = 0; turn < 2 * ROUNDS; turn++) process.run(times, turn * TURN, TURN, machine.advance(1));
    return times;
  });
}

/** Median of one run, the value that rules over runs compare. */
export function medianOf(run: Float64Array): number {
  return quantileOf(run.slice().sort(), 0.5);
}
