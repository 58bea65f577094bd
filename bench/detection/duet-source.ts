import type { ValidPair } from '../../src/compare/pairing.ts';
import { type Chance, openMachine, PER_RUN, ROUNDS, START_TURNS, startProcess, TURN } from './noise.ts';
import { summariseRestart } from './restart-summary.ts';
import type { Scenario } from './scenarios.ts';

/** Restarts of one case, one after the other in machine time. */
export type NextRestart = (index: number) => ValidPair;

/** Which arm is slower by how much, in log, and whether its memory grows alike. */
export interface Planted {
  readonly log: number;
}

/**
 * A case measured as the product does: both arms fresh in every restart, ten rounds of ABBA or BAAB by coin, machine
 * time going on through turns and starts. Head takes exp(log) times base's time and memory.
 */
export function openDuet(scenario: Scenario, chance: Chance, { log }: Planted): NextRestart {
  const machine = openMachine(scenario, chance);
  const times = { base: new Float64Array(PER_RUN), head: new Float64Array(PER_RUN) };
  return (index) => {
    const base = startProcess(scenario, chance);
    const head = startProcess(scenario, chance);
    machine.advance(2 * START_TURNS);
    let [atBase, atHead] = [0, 0];
    const runBase = () => {
      base.run(times.base, atBase, TURN, machine.advance(1));
      atBase += TURN;
    };
    const runHead = () => {
      head.run(times.head, atHead, TURN, log + machine.advance(1));
      atHead += TURN;
    };
    for (let round = 0; round < ROUNDS; round++) {
      const turns =
        chance.uniform() < 0.5 ? [runBase, runHead, runHead, runBase] : [runHead, runBase, runBase, runHead];
      for (const turn of turns) turn();
    }
    return {
      base: summariseRestart(times.base, base.peakBytes, index),
      head: summariseRestart(times.head, Math.round(head.peakBytes * Math.exp(log)), index),
    };
  };
}
