import { seededRandom } from '../levels/random.ts';
import type { Scenario } from './scenarios.ts';

/** Iterations of one turn that are kept. A round is two turns of each arm, a restart ten rounds. */
export const TURN = 15;
export const ROUNDS = 10;
export const PER_ROUND = 2 * TURN;
/** Kept iterations of one arm in one restart: enough for p95, as a model of about 10 ms gets. */
export const PER_RUN = ROUNDS * PER_ROUND;
/** Time that a process start takes, in turns. */
export const START_TURNS = 26;

const RUN_TURNS = START_TURNS + 2 * ROUNDS;
const RAMP_TURNS = 20 * RUN_TURNS;
const WAVE_TURNS = 6 * RUN_TURNS;
const BURST_TURNS = 25;
const PAUSE_TURNS = 58;
const PEAK_BYTES = 100 * 2 ** 20;

/** Seeded numbers: uniform in [0, 1) and standard normal. */
export interface Chance {
  readonly uniform: () => number;
  readonly normal: () => number;
}

/** Both kinds of number from one seed; normals by Marsaglia's polar method. */
export function seededChance(seed: number): Chance {
  const uniform = seededRandom(seed);
  let spare = Number.NaN;
  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const kept = spare;
      spare = Number.NaN;
      return kept;
    }
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const scale = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * scale;
      return x * scale;
    }
  };
  return { uniform, normal };
}

/** How slow the machine is now, as a log, while time goes on. */
export interface Machine {
  readonly advance: (turns: number) => number;
}

/** A machine at the beginning of a job, in its long-run state where there is one. */
export function openMachine(scenario: Scenario, { uniform, normal }: Chance): Machine {
  let turn = 0;
  let walk = 0;
  let wave = scenario.waves * normal();
  let isBusy = scenario.bursts !== null && uniform() < BURST_TURNS / (BURST_TURNS + PAUSE_TURNS);
  let changesAt = 0;
  let burst = 0;
  const exponential = (mean: number) => -mean * Math.log(1 - uniform());
  const startPhase = (): void => {
    changesAt += exponential(isBusy ? BURST_TURNS : PAUSE_TURNS);
    const { low, high } = scenario.bursts ?? { low: 0, high: 0 };
    burst = isBusy ? low + (high - low) * uniform() : 0;
  };
  startPhase();
  return {
    advance: (turns) => {
      turn += turns;
      if (scenario.drift > 0) walk += scenario.drift * Math.sqrt(turns / RUN_TURNS) * normal();
      if (scenario.waves > 0) {
        const kept = Math.exp(-turns / WAVE_TURNS);
        wave = kept * wave + scenario.waves * Math.sqrt(1 - kept * kept) * normal();
      }
      while (scenario.bursts !== null && turn > changesAt) {
        isBusy = !isBusy;
        startPhase();
      }
      return walk + wave + burst + scenario.ramp * Math.min(1, turn / RAMP_TURNS);
    },
  };
}

/** A process with what it drew for its life. */
export interface Process {
  readonly peakBytes: number;
  /** Writes `count` iteration times from `from` on; `log` is how slow machine and model make it. */
  readonly run: (into: Float64Array, from: number, count: number, log: number) => void;
}

/** A fresh process; times are around 1. */
export function startProcess(scenario: Scenario, { uniform, normal }: Chance): Process {
  const { jitter, mode, dependence, spikes, memory } = scenario;
  const life = scenario.process * normal() + (mode && uniform() < mode.share ? mode.log : 0);
  const peak = memory.sd * normal() + (memory.mode && uniform() < memory.mode.share ? memory.mode.log : 0);
  const phi = dependence?.phi ?? 0;
  const innovation = dependence ? dependence.sd * Math.sqrt(1 - phi * phi) : 0;
  let state = dependence ? dependence.sd * normal() : 0;
  return {
    peakBytes: Math.round(PEAK_BYTES * Math.exp(peak)),
    run: (into, from, count, log) => {
      for (let i = from; i < from + count; i++) {
        if (innovation > 0) state = phi * state + innovation * normal();
        const time = Math.exp(life + log + state + jitter * normal());
        const isSpike = spikes !== null && uniform() < spikes.share;
        into[i] = isSpike ? time * (1 - spikes.mean * Math.log(1 - uniform())) : time;
      }
    },
  };
}
