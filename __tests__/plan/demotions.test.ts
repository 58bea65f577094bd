import { describe, expect, it } from '@jest/globals';
import { parseGateConfig } from '../../src/inputs/config-file.ts';
import { EMPTY_CONFIG } from '../../src/inputs/gate-config.ts';
import { crowdedDemotions } from '../../src/plan/demotions.ts';

const on = (processorShare: number) => [{ model: 'm', case: 'm/cpu/b1/c1', processorShare }];
const config = (metrics: string) => parseGateConfig(`version: 1\nmetrics: ${metrics}`, 'gate.yml');

describe('tails on crowded processors', () => {
  it('are shown, not judged, and say why', () => {
    const [row, ...others] = crowdedDemotions(on(0.36), EMPTY_CONFIG);
    expect(row).toMatchObject({ case: 'm/cpu/b1/c1', metric: 'latency.p95', role: 'reported' });
    expect(row?.reason).toMatch(/others used the processors .*36 % of one was left.*gate: true/);
    expect(others).toEqual([]);
  });

  it.each([
    ['the processors were its own', 0.97, '{}'],
    ['the config insists', 0.36, '{latency.p95: {gate: true}}'],
    ['the config only shows them anyway', 0.36, '{latency.p95: {gate: false}}'],
  ])('stay as they are where %s', (_, share, metrics) => {
    expect(crowdedDemotions(on(share), config(metrics))).toEqual([]);
  });
});
