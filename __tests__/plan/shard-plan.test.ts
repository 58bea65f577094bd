import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EMPTY_CONFIG } from '../../src/inputs/gate-config.ts';
import {
  caseIdsOf,
  familyOfPlan,
  findShard,
  MOST_SHARDS,
  parseShardPlan,
  planShards,
} from '../../src/plan/shard-plan.ts';

const model = (id: string, pastSeconds: number | null = null, config = {}) => ({ id, config, pastSeconds });
const BUDGET = { shards: null, budgetS: 1200 };

describe('shards', () => {
  it('hold every model exactly once, and never more shards than models or GitHub allows', () => {
    const models = fc.uniqueArray(fc.tuple(fc.stringMatching(/^[a-z]{1,8}$/), fc.integer({ min: 1, max: 9000 })), {
      selector: ([id]) => id,
      minLength: 1,
      maxLength: 300,
    });
    fc.assert(
      fc.property(models, fc.option(fc.integer({ min: 1, max: 400 })), (list, shards) => {
        const planned = planShards(
          list.map(([id, seconds]) => model(id, seconds)),
          'cpu',
          { shards, budgetS: 1200 },
        );
        expect(planned.flatMap((shard) => shard.models).sort()).toEqual(list.map(([id]) => id).sort());
        expect(planned.length).toBeLessThanOrEqual(Math.min(list.length, MOST_SHARDS));
        expect(planned.every((shard) => shard.models.length > 0)).toBe(true);
      }),
    );
  });

  it('are balanced by past durations: the longest is at most 4/3 of the best there could be', () => {
    const seconds = [700, 600, 500, 400, 300, 200, 100, 100, 100];
    const planned = planShards(
      seconds.map((s, i) => model(`m${i}`, s)),
      'cpu',
      { shards: 3, budgetS: 1200 },
    );
    const longest = Math.max(...planned.map((shard) => shard.predictedS));
    expect(longest).toBeLessThanOrEqual((3000 / 3) * (4 / 3));
  });

  it('are as many as keep one within half of the time budget', () => {
    expect(
      planShards(
        Array.from({ length: 30 }, (_, i) => model(`m${i}`, 100)),
        'cpu',
        BUDGET,
      ),
    ).toHaveLength(5);
  });

  it('are named as the input shard takes them', () => {
    expect(
      planShards([model('a', 1), model('b', 1)], 'cpu', { shards: 2, budgetS: 1 }).map(({ name }) => name),
    ).toEqual(['1/2', '2/2']);
  });
});

describe('the cases of a model', () => {
  it('follow from its section of the config alone', () => {
    expect(caseIdsOf(model('ranker', null, { providers: ['cuda', 'cpu'], batches: [1, 32] }), 'cpu')).toEqual([
      'ranker/cuda/b1/c1',
      'ranker/cuda/b32/c1',
      'ranker/cpu/b1/c1',
      'ranker/cpu/b32/c1',
    ]);
  });

  it('count p50 and p95 of each in the family, and host memory on the cpu', () => {
    expect(familyOfPlan([model('a'), model('b', null, { batches: [1, 8] })], 'cpu', EMPTY_CONFIG)).toEqual({
      k: 6,
      memoryRows: 3,
    });
  });
});

describe('a plan file', () => {
  it.each([[''], ['[]'], ['{"schema":"model-gate/plan@2"}'], ['{"schema":"model-gate/plan@1"}']])(
    'is refused as %s',
    (text) => {
      expect(() => parseShardPlan(text, 'plan.json')).toThrow(/^plan\.json: is no model-gate\/plan@1/);
    },
  );

  it('has only the shards it names', () => {
    const plan = {
      schema: 'model-gate/plan@1',
      createdAt: '',
      session: 's',
      base: null,
      head: null,
      k: 2,
      memoryRows: 1,
    } as const;
    const shard = { name: '1/1', models: ['a'], cases: ['a/cpu/b1/c1'], predictedS: 60 };
    expect(findShard({ ...plan, shards: [shard] }, '1/1')).toEqual(shard);
    expect(() => findShard({ ...plan, shards: [shard] }, '2/4')).toThrow('the plan has no shard 2/4: it has 1/1');
  });
});
