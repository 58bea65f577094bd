import { describe, expect, it } from '@jest/globals';
import type { Effort } from '../../src/measure/effort.ts';
import { optimalRounds, roundLogRatios, withRounds } from '../../src/measure/refit-rounds.ts';

/** Six restarts of ten rounds: rounds differ by ±`round`, restarts by ±`restart`. */
function ratios(round: number, restart: number): number[][] {
  return [1, -1, 1, -1, 1, -1].map((sign, index) =>
    Array.from({ length: 10 }, (_, i) => sign * restart + (i % 2 === index % 2 ? round : -round)),
  );
}

const EFFORT: Effort = {
  rounds: 10,
  chunkIterations: 50,
  discard: 'fit',
  warmUpMs: 500,
  warmUpCapMs: 1500,
  keptIterations: 500,
  restartMs: 3000,
};
const COSTS = { startMs: 2000, roundMs: 200 };

describe('the rounds of later restarts', () => {
  it('follow the two-level optimum: sqrt(start ÷ round cost) × round spread ÷ restart spread', () => {
    // A round spread of 0.96 %, a restart spread of 0.40 % and a start of 13 rounds give 9 (statistics of real restarts).
    const round = 0.0096 * Math.sqrt(9 / 10);
    const restart = Math.sqrt((0.004 ** 2 + 0.0096 ** 2 / 10) * (5 / 6));
    expect(optimalRounds(ratios(round, restart), { startMs: 13, roundMs: 1 })).toBe(9);
  });

  it.each([
    ['few where restarts spread', ratios(0.001, 0.02), 4],
    ['many where rounds spread', ratios(0.05, 0.0001), 40],
    ['as they are where nothing is known', [], null],
    ['as they are where nothing spreads', ratios(0, 0), null],
  ])('are %s', (_, logRatios, rounds) => {
    expect(optimalRounds(logRatios, COSTS)).toBe(rounds);
  });

  it('keep what a promised percentile needs', () => {
    const effort = withRounds(EFFORT, 4, COSTS, new Set(['latency.p50', 'latency.p95', 'throughput']));
    expect(effort).toMatchObject({ rounds: 4, keptIterations: 200 });
    expect(withRounds({ ...EFFORT, keptIterations: 140 }, 4, COSTS, new Set(['latency.p95'])).rounds).toBe(10);
  });

  it('never make a restart longer than twice its plan', () => {
    expect(withRounds(EFFORT, 40, COSTS, new Set(['latency.p50'])).restartMs).toBeLessThanOrEqual(2 * EFFORT.restartMs);
  });
});

describe('log ratios of rounds', () => {
  const restart = (values: number[], valid = true) => ({
    index: 0,
    valid,
    notes: [],
    values: {},
    rounds: { 'latency.p50': values },
  });

  it('pair head with base by position', () => {
    expect(roundLogRatios({ base: restart([1, 2]), head: restart([Math.E, 2]) })).toEqual([1, 0]);
  });

  it.each([
    ['an invalid restart', { base: restart([1]), head: restart([1], false) }],
    ['rounds of unequal length', { base: restart([1, 2]), head: restart([1]) }],
    ['a new model', { base: null, head: restart([1]) }],
  ])('are none of %s', (_, pair) => {
    expect(roundLogRatios(pair)).toEqual([]);
  });
});
