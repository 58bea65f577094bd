import { describe, expect, it } from '@jest/globals';
import { parseGateConfig } from '../../src/inputs/config-file.ts';
import { EMPTY_CONFIG } from '../../src/inputs/gate-config.ts';
import { type CaseReach, planManifest } from '../../src/plan/manifest.ts';
import { buildGroup } from './planning.ts';

const OPTIONS = { seed: '1', looks: [6, 9] };

function reach(model: string, overrides: Partial<CaseReach> = {}): CaseReach {
  const metrics = ['latency.p50', 'latency.p95', 'latency.p99', 'memory.host.peak', 'throughput'];
  return { group: buildGroup(model), caseId: `${model}/cpu/b1/c1`, metrics, unreachable: [], ...overrides };
}

describe('the manifest', () => {
  it('counts the gated rows of the paired test, and those of memory apart', () => {
    expect(planManifest([reach('a'), reach('b')], EMPTY_CONFIG, OPTIONS)).toMatchObject({
      k: 4,
      memoryRows: 2,
      looks: [6, 9],
    });
  });

  it('promises every row with its role', () => {
    const { rows } = planManifest([reach('a')], EMPTY_CONFIG, OPTIONS);
    expect(rows.map(({ metric, role }) => `${metric} ${role}`)).toEqual([
      'latency.p50 gated',
      'latency.p95 gated',
      'latency.p99 advisory',
      'memory.host.peak gated',
      'throughput reported',
    ]);
  });

  it('only shows what the effort cannot reach, and says why', () => {
    const metrics = ['latency.p50'];
    const unreachable = [{ metric: 'latency.p95', reason: '40 iterations a restart, 130 are needed' }];
    const { k, rows } = planManifest([reach('a', { metrics, unreachable })], EMPTY_CONFIG, OPTIONS);
    expect(k).toBe(1);
    expect(rows[1]).toEqual({
      case: 'a/cpu/b1/c1',
      metric: 'latency.p95',
      role: 'reported',
      reason: '40 iterations a restart, 130 are needed',
    });
  });

  it.each([
    ['a new model', { group: buildGroup('a', { base: null }) }, 0],
    ['equal arms', { group: buildGroup('a', { unchanged: true }) }, 0],
    ['a model that could not be prepared', { metrics: null }, 0],
  ])('counts no row of %s', (_, overrides, k) => {
    expect(planManifest([reach('a', overrides)], EMPTY_CONFIG, OPTIONS).k).toBe(k);
  });

  it('belongs to the family of all shards', () => {
    const family = { k: 60, memoryRows: 30 };
    expect(planManifest([reach('a')], EMPTY_CONFIG, { ...OPTIONS, family })).toMatchObject(family);
  });

  it('follows the config', () => {
    const config = parseGateConfig(
      'version: 1\nmetrics: {latency.p95: {gate: false}, throughput: {gate: true}}',
      'g.yml',
    );
    const { k, rows } = planManifest([reach('a')], config, OPTIONS);
    expect(k).toBe(2);
    expect(rows.find(({ metric }) => metric === 'throughput')?.role).toBe('gated');
  });
});
