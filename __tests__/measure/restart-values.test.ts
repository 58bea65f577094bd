import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concludeCase } from '../../src/measure/restart-result.ts';
import { type ArmReadings, judgeTimes, restartValues } from '../../src/measure/restart-values.ts';
import { METRICS } from '../../src/metrics/metric-table.ts';

const NOTHING: ArmReadings = {
  loadMs: null,
  firstInferenceMs: null,
  hostPeakBytes: null,
  gpuPeakBytes: null,
  gpuWeightsBytes: null,
  floorMs: null,
};
const ALL = new Set(METRICS.keys());
const settings = { batch: 4, discard: 0, metrics: ALL };
/** Two rounds of two turns of five iterations. */
const rounds = [
  [
    [9, 1, 2, 3, 4],
    [9, 2, 3, 4, 5],
  ],
  [
    [9, 2, 2, 2, 2],
    [9, 2, 2, 2, 102],
  ],
];

describe('values of a restart', () => {
  const { values, rounds: series } = restartValues(rounds, NOTHING, { ...settings, discard: 1 });

  it('drop the start of every turn', () => {
    expect(series?.['latency.p50']).toEqual([3, 2]);
    expect(values['latency.p50']).toBe(2);
  });

  it('give percentiles of type 7 over all kept iterations', () => {
    const ten = [[Array.from({ length: 11 }, (_, i) => i + 1)]];
    const { values: p } = restartValues(ten, NOTHING, settings);
    expect(p).toMatchObject({ 'latency.p50': 6, 'latency.p90': 10, 'latency.p95': 10.5 });
    expect(p['latency.p99']).toBeCloseTo(10.9, 9);
  });

  it('keep means of rounds', () => {
    expect(series?.['latency.mean']).toEqual([3, 14.5]);
    expect(values['latency.mean']).toBeCloseTo(8.75, 9);
  });

  it('compute throughput from means winsorised at the p95, so that one spike does not decide', () => {
    const even = [[Array(20).fill(2)], [[...Array(19).fill(2), 1000]]];
    const { values: v, rounds: r } = restartValues(even, NOTHING, settings);
    const [quiet, spiked] = r?.['throughput'] ?? [];
    expect(quiet).toBe(2000);
    expect(spiked).toBeGreaterThan(1500);
    expect(v['throughput']).toBeGreaterThan(1700);
    expect(v['latency.mean']).toBeGreaterThan(20);
  });

  it('hold readings only where there are any, and only affordable metrics', () => {
    const readings = { ...NOTHING, loadMs: 30, hostPeakBytes: 5e6, floorMs: 0.5 };
    const only = new Set(['latency.p50', 'load.time', 'floor.share', 'memory.gpu.peak']);
    const { values: v } = restartValues(rounds, readings, { batch: 1, discard: 1, metrics: only });
    expect(v).toEqual({ 'latency.p50': 2, 'load.time': 30, 'floor.share': 0.25 });
  });

  it('scale with the clock: twice the time is twice the latency and half the throughput', () => {
    const times = fc.array(fc.double({ min: 0.01, max: 100, noNaN: true }), { minLength: 3, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(times, { minLength: 2, maxLength: 5 }), (turns) => {
        const once = restartValues([turns], NOTHING, settings).values;
        const twice = restartValues([turns.map((turn) => turn.map((ms) => 2 * ms))], NOTHING, settings).values;
        expect(twice['latency.p50']).toBeCloseTo(2 * (once['latency.p50'] ?? 0), 6);
        expect(2 * (twice['throughput'] ?? 0)).toBeCloseTo(once['throughput'] ?? 0, 3);
      }),
    );
  });
});

describe('a restart', () => {
  const fine = { rounds, readings: NOTHING };
  const quiet = { faults: [], remarks: [] };
  const conclude = { batch: 1, discard: 1, metrics: ALL };

  it.each([
    ['a time of zero', [[[1, 0]]], 'the clock gave a time that is not positive'],
    ['a negative time', [[[1, -3]]], 'the clock gave a time that is not positive'],
    ['no iterations', [[]], 'no iteration was timed'],
    ['good times', rounds, null],
  ])('with %s', (_, times, fault) => {
    expect(judgeTimes(times)).toBe(fault);
  });

  it('is invalid for both arms where one has a bad time', () => {
    const pair = concludeCase(3, { base: fine, head: { rounds: [[[0]]], readings: NOTHING } }, quiet, conclude);
    expect([pair.base?.valid, pair.head.valid]).toEqual([false, false]);
    expect(pair.base?.index).toBe(3);
  });

  it('keeps its values where the machine was at fault, and says why it does not count', () => {
    const pair = concludeCase(0, { base: fine, head: fine }, { faults: ['too hot'], remarks: [] }, conclude);
    expect(pair.head).toMatchObject({ valid: false, notes: ['too hot'], values: { 'latency.p50': 2 } });
  });

  it('of a new model has no base', () => {
    expect(concludeCase(0, { head: fine }, quiet, conclude)).toMatchObject({ base: null, head: { valid: true } });
  });
});
