import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  DEFAULT_EFFORT,
  type EffortInput,
  planEffort,
  reachableMetrics,
  restartSeconds,
} from '../../src/measure/effort.ts';

const input = (latencyMs: number, more: Partial<EffortInput> = {}): EffortInput => ({
  latencyMs,
  startMs: 500,
  casesInGroup: 1,
  handOverMs: 0,
  minChunkMs: 0,
  ...more,
});
const plan = (latencyMs: number, more: Partial<EffortInput> = {}) => planEffort(input(latencyMs, more), DEFAULT_EFFORT);

describe('time of a restart', () => {
  it.each([
    [0.02, 4.2],
    [1, 4.2],
    [50, 13.5],
    [1600, 55],
  ])('of a model of %d ms is %d s', (latencyMs, seconds) => {
    expect(restartSeconds(latencyMs, DEFAULT_EFFORT)).toBeCloseTo(seconds, 6);
  });

  it('grows with latency', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 3000, noNaN: true }), (ms) => {
        expect(restartSeconds(ms * 1.1, DEFAULT_EFFORT)).toBeGreaterThanOrEqual(restartSeconds(ms, DEFAULT_EFFORT));
      }),
    );
  });
});

describe('effort', () => {
  it.each([
    ['20 us', 0.02, 10, 2500, 'fit'],
    ['1 ms', 1, 10, 50, 'fit'],
    ['2.5 ms', 2.5, 10, 20, 'fit'],
    ['11 ms', 11, 8, 20, 'fit'],
    ['20 ms', 20, 10, 10, 'none'],
    ['50 ms', 50, 10, 6, 'none'],
    ['1.6 s', 1600, 7, 1, 'none'],
    ['2 s', 2000, 6, 1, 'none'],
  ])('for %s', (_, latencyMs, rounds, chunkIterations, discard) => {
    expect(plan(latencyMs)).toMatchObject({ rounds, chunkIterations, discard });
  });

  it('keeps at least 10 iterations an arm and fits the time, from 10 us to 3 s', () => {
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 3000, noNaN: true }), fc.nat(4000), (latencyMs, startMs) => {
        const effort = plan(latencyMs, { startMs });
        expect(effort.keptIterations).toBeGreaterThanOrEqual(10);
        const leastMs = 4 * 5 * latencyMs + 2 * Math.max(500, 2 * latencyMs);
        const allowedMs = Math.max(1000 * restartSeconds(latencyMs, DEFAULT_EFFORT) - startMs, leastMs);
        const turnMs = 4 * effort.rounds * latencyMs;
        expect(effort.restartMs).toBeLessThanOrEqual(allowedMs + turnMs + 1);
      }),
    );
  });

  it('spans two quota periods with every turn', () => {
    expect(plan(11, { minChunkMs: 200 }).chunkIterations * 11).toBeGreaterThanOrEqual(200);
  });

  it('gives up a round or two of a fast model before it shortens its turns', () => {
    expect(plan(1, { handOverMs: 50 })).toMatchObject({ rounds: 8, chunkIterations: 50, discard: 'fit' });
    expect(plan(1, { handOverMs: 50 }).restartMs + 500).toBeLessThanOrEqual(4200);
  });

  it('gives up timed iterations where threads spin, not warm-up', () => {
    const spinning = plan(20, { handOverMs: 50 });
    expect(spinning.chunkIterations).toBeLessThan(plan(20).chunkIterations);
    expect(spinning.warmUpMs).toBe(plan(20).warmUpMs);
  });

  it('caps the warm-up of both arms at a fifth of a slow restart, or two runs each', () => {
    expect(plan(400).warmUpCapMs * 2).toBeLessThanOrEqual(0.2 * 1000 * restartSeconds(400, DEFAULT_EFFORT));
    expect(plan(3000).warmUpCapMs).toBeGreaterThanOrEqual(2 * 3000);
  });
});

describe('reachable metrics', () => {
  const all = ['latency.p50', 'latency.p90', 'latency.p95', 'latency.p99'];
  it.each([
    [10, 1],
    [63, 1],
    [64, 2],
    [129, 2],
    [130, 3],
    [661, 3],
    [662, 4],
  ])('with %d kept iterations are %d of p50, p90, p95, p99', (keptIterations, reached) => {
    const { metrics, unreachable } = reachableMetrics({ keptIterations }, all);
    expect(metrics).toEqual(all.slice(0, reached));
    expect(unreachable.map(({ metric }) => metric)).toEqual(all.slice(reached));
  });

  it('say what the others need', () => {
    const [p99] = reachableMetrics({ keptIterations: 100 }, ['latency.p99']).unreachable;
    expect(p99?.reason).toBe('needs 662 kept iterations per arm and restart, the time affords 100');
  });
});
