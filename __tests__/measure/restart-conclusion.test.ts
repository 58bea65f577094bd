import { describe, expect, it } from '@jest/globals';
import { quickerEffort } from '../../src/measure/case-plan.ts';
import { DEFAULT_EFFORT, planEffort } from '../../src/measure/effort.ts';
import type { CaseState, GroupState, Workshop } from '../../src/measure/group-state.ts';
import type { RestartPair } from '../../src/measure/measurer.ts';
import { concludeRestart } from '../../src/measure/restart-conclusion.ts';
import type { LineupResult, MeasuredArm } from '../../src/measure/restart-result.ts';

const READINGS = {
  loadMs: 1,
  firstInferenceMs: 1,
  hostPeakBytes: null,
  gpuPeakBytes: null,
  gpuWeightsBytes: null,
  floorMs: 0.4,
};
const effortAt = (latencyMs: number) =>
  planEffort({ latencyMs, startMs: 0, casesInGroup: 1, handOverMs: 0, minChunkMs: 0 }, DEFAULT_EFFORT);

function entryAt(latencyMs: number): CaseState {
  return {
    spec: { id: 'c', batch: 1, feeds: [], workload: '' },
    effort: effortAt(latencyMs),
    discard: null,
    latencyMs,
    pool: { file: '', layout: { inputs: [], bytes: 0 }, size: 1 },
    fetch: {},
    floors: {},
    logRatios: [],
    metrics: new Set(['latency.p50', 'floor.share']),
  };
}

function lineup(turn: readonly number[], faults: readonly string[] = []): LineupResult {
  const arm: MeasuredArm = { rounds: Array.from({ length: 10 }, () => [turn, turn]), readings: READINGS };
  return { cases: new Map([['c', { base: arm, head: arm }]]), conditions: { faults, remarks: [] } };
}

const steady = Array<number>(50).fill(1);
const falling = Array.from({ length: 50 }, (_, i) => 3 - i / 25);

describe('the first restart', () => {
  it('fixes what turns lose, for good', () => {
    const entry = entryAt(1);
    concludeRestart(0, [entry], [lineup([5, 4, 3, 2, ...Array<number>(46).fill(1)])]);
    expect(entry.discard).toBe(4);
    concludeRestart(1, [entry], [lineup(steady)]);
    expect(entry.discard).toBe(4);
  });

  it('doubles turns that are still warming up at their half', () => {
    const entry = entryAt(1);
    const before = entry.effort.chunkIterations;
    concludeRestart(0, [entry], [lineup(falling)]);
    expect(entry.effort.chunkIterations).toBe(2 * before);
    expect(entry.discard).toBe(25);
  });

  it('drops nothing from turns of few iterations', () => {
    const entry = entryAt(50);
    concludeRestart(0, [entry], [lineup([50, 49, 48])]);
    expect(entry.discard).toBe(0);
  });
});

describe('a restart', () => {
  it('is invalid for what any of its line-ups saw', () => {
    const { pairs } = concludeRestart(0, [entryAt(1)], [lineup(steady), lineup(steady, ['too hot'])]);
    expect(pairs['c']?.head).toMatchObject({ valid: false, notes: ['too hot'] });
  });

  it('warns where calls cost more than a third of a run', () => {
    const { notes } = concludeRestart(0, [entryAt(1)], [lineup(steady)]);
    expect(notes.map(({ code }) => code)).toEqual(['host-bound']);
  });
});

describe('effort after a restart', () => {
  const shop = { threads: 1, quotaPeriodMs: 0, effort: DEFAULT_EFFORT } as Workshop;
  const arm = { session: { threads: 1 } };
  const state = { group: { provider: 'cpu', base: arm, head: arm, cases: [1] }, mode: 'duet' } as unknown as GroupState;
  const pair = (p50: number) => ({ head: { values: { 'latency.p50': p50 } } }) as unknown as RestartPair;

  it('has longer turns where the case proved quicker than when it was primed', () => {
    const entry = entryAt(1);
    const { chunkIterations } = quickerEffort(shop, state, entry, pair(0.5));
    expect(chunkIterations * 0.5).toBeGreaterThanOrEqual(DEFAULT_EFFORT.chunkMs);
  });

  it.each([
    ['about as quick', 0.9],
    ['slower', 3],
  ])('stays where it was %s, so that what was promised stays reached', (_, p50) => {
    const entry = entryAt(1);
    expect(quickerEffort(shop, state, entry, pair(p50))).toBe(entry.effort);
  });

  it('stays where nothing was measured', () => {
    const entry = entryAt(1);
    expect(quickerEffort(shop, state, entry, undefined)).toBe(entry.effort);
  });
});
