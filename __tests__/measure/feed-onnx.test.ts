import { describe, expect, it } from '@jest/globals';
import { type Feed, fillFeed } from '../../src/measure/feed-fill.ts';
import type { FeedSpec } from '../../src/plan/plan.ts';
import { NODES, runOnnx } from '../fakes/run-onnx.ts';
import { passThroughModel } from '../fakes/tiny-models.ts';

const FEEDS: FeedSpec[] = [
  { name: 'half', dtype: 'float16', dims: [4, 3], arms: 'both', source: { fill: 'normal', seed: 0 } },
  { name: 'ids', dtype: 'int64', dims: [4, 2], arms: 'both', source: { fill: 'zipf', range: [0, 2 ** 40], seed: 0 } },
  {
    name: 'wide',
    dtype: 'uint64',
    dims: [4],
    arms: 'both',
    source: { fill: 'uniform', range: [0, 2 ** 53 - 1], seed: 0 },
  },
  { name: 'flags', dtype: 'bool', dims: [9], arms: 'both', source: { fill: 'uniform', seed: 0 } },
  { name: 'words', dtype: 'string', dims: [2], arms: 'both', source: { fill: 'constant', value: 'ö', seed: 0 } },
  { name: 'dense', dtype: 'float32', dims: [4, 13], arms: 'both', source: { fill: 'normal', seed: 0 } },
  { name: 'double', dtype: 'float64', dims: [3], arms: 'both', source: { fill: 'normal', seed: 0 } },
  { name: 'bytes', dtype: 'uint8', dims: [5], arms: 'both', source: { fill: 'uniform', range: [0, 255], seed: 0 } },
];

function content({ data }: Feed): unknown {
  return Array.isArray(data) ? data : Buffer.from(data.buffer).toString('base64');
}

describe('feeds through real onnxruntime', () => {
  it.each(NODES)('arrive unchanged in %s', async (node) => {
    const feeds = Object.fromEntries(FEEDS.map((spec) => [spec.name, fillFeed(spec, 0)]));
    const { outputs, error } = await runOnnx(passThroughModel(FEEDS), feeds, node);
    expect(error).toBeUndefined();
    for (const [name, feed] of Object.entries(feeds)) {
      const output = outputs?.[`${name}_out`];
      expect([name, output?.dtype, output?.dims, output?.strings ?? output?.base64]).toEqual([
        name,
        feed.dtype,
        feed.dims,
        content(feed),
      ]);
    }
  });
});
