import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { convnetModel } from '../../examples/models/convnet.ts';
import { rankerModel } from '../../examples/models/ranker.ts';
import { fillFeed } from '../../src/measure/feed-fill.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { planFeeds } from '../../src/plan/feed-plan.ts';
import { float32s, runOnnx } from '../fakes/run-onnx.ts';

describe.each([
  ['ranker', rankerModel, 1_000_000, { Gemm: 6, Gather: 17, MatMul: 1 }],
  ['convnet', convnetModel, 300_000, { Conv: 4, Relu: 4 }],
] as const)('%s.onnx', (name, build, maxBytes, operators) => {
  const committed = readFileSync(`examples/models/${name}.onnx`);

  it('is what its script writes', () => {
    expect(Buffer.compare(committed, build())).toBe(0);
    expect(committed.byteLength).toBeLessThan(maxBytes);
    expect(readModel(committed, name).operators).toMatchObject(operators);
  });

  it.each([1, 32])('needs no config and runs at batch %d', async (batch) => {
    const plan = planFeeds(null, readModel(committed, name), {}, batch);
    expect(plan.questions).toEqual([]);
    const { outputs } = await runOnnx(
      committed,
      Object.fromEntries(plan.feeds.map((feed) => [feed.name, fillFeed(feed, 0)])),
    );
    const [output] = Object.values(outputs ?? {});
    expect(output?.dims[0]).toBe(batch);
    const values = [...float32s(output ?? { dtype: '', dims: [] })];
    expect(values.every(Number.isFinite)).toBe(true);
    expect(new Set(values).size).toBe(values.length);
  });
});

describe('the ranker', () => {
  it('takes ids that are valid for its tables', () => {
    const { idUses } = readModel(readFileSync('examples/models/ranker.onnx'), 'ranker');
    expect(idUses).toEqual({ ids: { kind: 'table', rows: 2000, table: 'table0', rowBytes: 32 } });
  });
});
