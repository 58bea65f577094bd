import { describe, expect, it } from '@jest/globals';
import { EMPTY_CONFIG } from '../src/inputs/gate-config.ts';
import { buildMeasurements } from '../src/measure/build-measurement.ts';
import { type CaseRecord, openRecords } from '../src/measure/case-record.ts';
import type { Measurement } from '../src/measure/measurement.ts';
import { mergeMeasurements } from '../src/measure/merge-measurements.ts';
import { planManifest } from '../src/plan/manifest.ts';
import type { ShardPlan } from '../src/plan/shard-plan.ts';
import { joinShards, matrixOf } from '../src/run-shards.ts';
import { judge } from '../src/verdict/judge.ts';
import { verdictToJson } from '../src/verdict/verdict-json.ts';
import { buildGroup } from './plan/planning.ts';

const TODAY = '2026-12-01';
const FAMILY = { k: 2, memoryRows: 0 };

const PLAN: ShardPlan = {
  schema: 'model-gate/plan@1',
  createdAt: '2026-12-01T10:00:00Z',
  session: 'plan',
  base: 'base',
  head: 'head',
  ...FAMILY,
  shards: ['a', 'b'].map((model, index) => ({
    name: `${index + 1}/2`,
    models: [model],
    cases: [`${model}/cpu/b1/c1`],
    predictedS: 60,
  })),
};

/** Both arms of one shard: nine restarts of one model, head slower by `share`. */
function shardFiles(model: string, share: number): { base: Measurement; head: Measurement } {
  const [opened] = openRecords(buildGroup(model));
  const restarts = (factor: number) =>
    Array.from({ length: 9 }, (_, index) => ({
      index,
      valid: true,
      notes: [],
      values: { 'latency.p50': 4 * factor * (1 + 0.001 * ((index * 7) % 5)) },
    }));
  const record: CaseRecord = { ...(opened as CaseRecord), base: restarts(1), head: restarts(1 + share) };
  const reach = { group: record.group, caseId: record.spec.id, metrics: ['latency.p50'], unreachable: [] };
  return buildMeasurements([record], {
    createdAt: PLAN.createdAt,
    toolVersion: '0.1.0',
    session: `session of ${model}`,
    environment: { class: 'c', facts: {} },
    manifest: planManifest([reach], EMPTY_CONFIG, { seed: model, looks: [6, 9], family: FAMILY }),
    durationS: 60,
    notes: [],
    faults: [],
    commits: { base: 'base', head: 'head' },
  });
}

const verdictOf = (files: { base: Measurement; head: Measurement }) =>
  judge({ ...files, config: EMPTY_CONFIG, today: TODAY });

describe('joined shards', () => {
  const [a, b] = [shardFiles('a', 0), shardFiles('b', 0.2)];

  it('are judged as their files are, byte for byte', () => {
    const joined = joinShards(PLAN, { base: [a.base, b.base], head: [a.head, b.head] });
    const merged = { base: mergeMeasurements([a.base, b.base]), head: mergeMeasurements([a.head, b.head]) };
    expect(verdictToJson(verdictOf(joined))).toBe(verdictToJson(verdictOf(merged)));
    expect(verdictOf(joined).outcome).toBe('fail');
  });

  it('are no verdict where one left nothing, naming it', () => {
    const verdict = verdictOf(joinShards(PLAN, { base: [a.base], head: [a.head] }));
    expect(verdict.outcome).toBe('no-verdict');
    expect(verdict.rows.find((row) => row.case === 'b/cpu/b1/c1')).toMatchObject({
      metric: 'run',
      reason: expect.stringContaining('shard 2/2'),
    });
  });

  it('may stand on another device than the plan, where the config names no provider', () => {
    const cuda = {
      ...PLAN,
      shards: PLAN.shards.map((shard) => ({ ...shard, cases: shard.cases.map((id) => id.replace('cpu', 'cuda')) })),
    };
    const joined = joinShards(cuda, { base: [a.base, b.base], head: [a.head, b.head] });
    expect(joined.head.entries).toHaveLength(2);
  });

  it('are no verdict where one lacks the base arm', () => {
    const verdict = verdictOf(joinShards(PLAN, { base: [a.base], head: [a.head, b.head] }));
    expect(verdict.outcome).toBe('no-verdict');
    expect(verdict.rows.find((row) => row.case === 'a/cpu/b1/c1' && row.metric === 'latency.p50')?.status).toBe('pass');
  });
});

describe('the matrix', () => {
  it('names each shard as the input takes it', () => {
    expect(JSON.parse(matrixOf(PLAN))).toEqual({ include: [{ shard: '1/2' }, { shard: '2/2' }] });
  });
});
