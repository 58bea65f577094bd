import { describe, expect, it } from '@jest/globals';
import { parseGateConfig } from '../../src/inputs/config-file.ts';
import { resolveRowPolicy } from '../../src/inputs/row-policy.ts';
import { METRICS } from '../../src/metrics/metric-table.ts';

function policyOf(yaml: string, metric: string, caseId = 'ranker/cuda/b32/c1') {
  const config = parseGateConfig(`version: 1\n${yaml}`, 'gate.yml');
  return resolveRowPolicy(config, {
    model: 'ranker',
    case: caseId,
    metric,
    unit: METRICS.get(metric)?.unit ?? 'ratio',
  });
}

const MODEL = (metrics: string, more = '') => `models: [{id: ranker, path: r.onnx, metrics: ${metrics}${more}}]`;

describe('the policy of a row', () => {
  it('is the metric table where the config says nothing', () => {
    expect(policyOf('', 'latency.p50')).toEqual({
      role: 'gated',
      marginRole: 'gated',
      margin: { fraction: 0.03, floor: 0 },
      max: null,
      min: null,
      maxIncrease: null,
    });
  });

  it.each([
    ['the whole config', 'metrics: {latency.p50: {margin: 7%}}', 0.07],
    ['the model', `metrics: {latency.p50: {margin: 7%}}\n${MODEL('{latency.p50: {margin: 2%}}')}`, 0.02],
    [
      'the case',
      MODEL('{latency.p50: {margin: 2%}}', ', cases: {ranker/cuda/b32/c1: {metrics: {latency.p50: {margin: 1%}}}}'),
      0.01,
    ],
    [
      'another case',
      MODEL('{latency.p50: {margin: 2%}}', ', cases: {ranker/cuda/b1/c1: {metrics: {latency.p50: {margin: 1%}}}}'),
      0.02,
    ],
  ])('takes its margin from the nearest place: %s', (_, yaml, fraction) => {
    expect(policyOf(yaml, 'latency.p50').margin.fraction).toBeCloseTo(fraction, 12);
  });

  it('keeps the floor of the table beside a percentage alone, and takes one that is given', () => {
    expect(policyOf(MODEL('{memory.gpu.peak: {margin: 5%}}'), 'memory.gpu.peak').margin).toEqual({
      fraction: 0.05,
      floor: 16 * 2 ** 20,
    });
    expect(
      policyOf(MODEL('{memory.gpu.peak: {margin: {percent: 5, floor: 1 KiB}}}'), 'memory.gpu.peak').margin,
    ).toEqual({
      fraction: 0.05,
      floor: 1024,
    });
  });

  it('gates a limit on a metric that is only shown, not its margin', () => {
    const policy = policyOf(MODEL('{latency.p99: {max: 12 ms}}'), 'latency.p99');
    expect(policy).toMatchObject({ role: 'gated', marginRole: 'advisory', max: 12 });
  });

  it.each([
    ['true', 'gated'],
    ['false', 'reported'],
    ['advisory', 'advisory'],
  ])('follows gate: %s', (gate, role) => {
    expect(policyOf(MODEL(`{throughput: {gate: ${gate}}}`), 'throughput')).toMatchObject({ role, marginRole: role });
  });

  it('refuses a limit in a unit that does not fit, naming both', () => {
    expect(() => policyOf(MODEL('{latency.p50: {max: 12 MiB}}'), 'latency.p50')).toThrow(/latency\.p50.*(MiB|B).*ms/);
  });

  it('only shows outputs unless a limit is set', () => {
    expect(policyOf('', 'output.scores.max-abs').role).toBe('reported');
    expect(policyOf(MODEL('{output.scores.max-abs: {max: 0.01}}'), 'output.scores.max-abs')).toMatchObject({
      role: 'gated',
      max: 0.01,
    });
  });
});
