import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { type ModelConfig, modelConfigSchema } from '../../src/inputs/gate-config.ts';
import { type ModelFacts, readModel, type TensorInfo } from '../../src/model/model-facts.ts';
import { planFeeds } from '../../src/plan/feed-plan.ts';

function facts(inputs: readonly TensorInfo[], idUses: ModelFacts['idUses'] = {}): ModelFacts {
  return {
    inputs,
    outputs: [],
    opsets: { '': 17 },
    irVersion: 8,
    producer: { name: '', version: '' },
    operators: {},
    parameterBytes: {},
    totalParameterBytes: 0,
    externalData: [],
    idUses,
  };
}

function tensor(name: string, dtype: string, dims: TensorInfo['dims']): TensorInfo {
  return { name, dtype, dims };
}

const DENSE = tensor('dense', 'float32', ['batch', 13]);
const IDS = tensor('ids', 'int64', ['batch', 26]);

function config(yaml: string): ModelConfig {
  return modelConfigSchema.parse(parse(yaml));
}

describe('planFeeds guesses from the model', () => {
  it.each<[string, TensorInfo, object, number[]]>([
    ['floats as normal', DENSE, { fill: 'normal' }, [8, 13]],
    ['half floats as normal', tensor('x', 'float16', ['N', 4]), { fill: 'normal' }, [8, 4]],
    ['an unnamed first dimension as the batch', tensor('x', 'float32', ['', 4]), { fill: 'normal' }, [8, 4]],
    [
      'a first dimension named by an exporter as the batch',
      tensor('x', 'float32', ['unk__12', 4]),
      { fill: 'normal' },
      [8, 4],
    ],
    ['images as uniform', tensor('x', 'float32', ['N', 3, 32, 32]), { fill: 'uniform', range: [0, 1] }, [8, 3, 32, 32]],
    [
      'images with channels last',
      tensor('x', 'float32', ['N', 32, 32, 3]),
      { fill: 'uniform', range: [0, 1] },
      [8, 32, 32, 3],
    ],
    ['bytes over their whole range', tensor('x', 'uint8', ['N', 9]), { fill: 'uniform', range: [0, 255] }, [8, 9]],
    ['booleans', tensor('x', 'bool', ['N']), { fill: 'uniform' }, [8]],
    ['strings as empty constants', tensor('x', 'string', ['N']), { fill: 'constant', value: '' }, [8]],
    ['a mask as ones', tensor('attention_mask', 'int64', ['N', 7]), { fill: 'constant', value: 1 }, [8, 7]],
    ['a float scalar as one', tensor('temperature', 'float32', []), { fill: 'constant', value: 1 }, []],
  ])('%s', (_, input, source, dims) => {
    const plan = planFeeds(null, facts([tensor('batched', 'float32', ['batch']), input]), {}, 8);
    expect(plan.questions).toEqual([]);
    expect(plan.feeds[1]).toEqual({
      name: input.name,
      dtype: input.dtype,
      dims,
      arms: 'both',
      source: { ...source, seed: 0 },
    });
    expect(plan.notes.find((note) => note.includes(`"${input.name}"`))).toContain('is guessed');
  });

  it('ids from the table they look up, the smaller one of both arms', () => {
    const base = facts([IDS], { ids: { kind: 'table', rows: 2000, table: 't', rowBytes: 64 } });
    const head = facts([IDS], { ids: { kind: 'table', rows: 3000, table: 't', rowBytes: 64 } });
    expect(planFeeds(base, head, {}, 1).feeds[0]?.source).toEqual({ fill: 'zipf', range: [0, 1999], seed: 0 });
    expect(planFeeds(head, base, {}, 1).feeds[0]?.source.range).toEqual([0, 1999]);
  });
});

describe('planFeeds asks', () => {
  it.each<[string, TensorInfo, string]>([
    ['for the range of ids', IDS, 'ids: {range: [0, 99999]}'],
    [
      'for a named dimension',
      tensor('x', 'float32', ['batch', 'seq']),
      'under this model\'s "dims:" in .github/model-gate.yml: seq: 128',
    ],
    ['for several dimensions at once', tensor('x', 'float32', ['batch', 'h', 'w']), 'x: {dims: [batch, 128, 128]}'],
    [
      'for dimensions an exporter named',
      tensor('x', 'float32', ['p2o.D.0', 3, 'p2o.D.1', 'p2o.D.2']),
      'x: {dims: [batch, 3, 224, 224]}',
    ],
    [
      'for an unnamed dimension behind a fixed one',
      tensor('state', 'float32', [2, '', 128]),
      'state: {dims: [2, batch, 128]}',
    ],
    ['for the dims of an unknown rank', tensor('x', 'float32', null), 'x: {dims: [batch, 128]}'],
    ['for the sample rate', tensor('sr', 'int64', []), 'sr: {value: 16000}'],
    ['for a sample rate given as float', tensor('sample_rate', 'float32', [1]), 'sample_rate: {value: 16000}'],
    ['for another integer scalar', tensor('k', 'int32', []), 'k: {value: 1}'],
  ])('%s', (_, input, yaml) => {
    const plan = planFeeds(null, facts([DENSE, input]), {}, 8);
    expect(plan.questions).toHaveLength(1);
    expect(plan.questions[0]).toContain(`input "${input.name}"`);
    expect(plan.questions[0]).toContain(yaml);
  });

  it('questions whose YAML answers them', () => {
    const model = readModel(readFileSync('node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx'), 'silero.onnx');
    const { questions } = planFeeds(null, model, {}, 1);
    const lines = questions.map((question) => question.split('.github/model-gate.yml: ')[1]);
    const answered = planFeeds(null, model, config(`inputs:\n  ${lines.join('\n  ')}`), 1);
    expect(questions).toHaveLength(3);
    expect(answered.questions).toEqual([]);
    expect(answered.feeds.map(({ name, dims, source }) => [name, dims, source])).toEqual([
      ['input', [1, 128], { fill: 'normal', seed: 0 }],
      ['state', [2, 1, 128], { fill: 'normal', seed: 0 }],
      ['sr', [], { fill: 'constant', value: 16000, seed: 0 }],
    ]);
  });

  it.each<[string, string, string]>([
    [
      'an input the model lacks',
      'inputs: {dence: {fill: normal}}',
      'fills the input "dence", which the model does not have',
    ],
    [
      'dims the model does not take',
      'inputs: {dense: {dims: [batch, 14]}}',
      'does not take the configured dims [batch, 14]',
    ],
    ['a size that is not set', 'inputs: {dense: {dims: [batch, width]}}', 'uses the size "width", which is not set'],
    ['a wrong dtype', 'inputs: {dense: {dtype: float16}}', 'is not of the configured dtype "float16"'],
    ['a range back to front', 'inputs: {ids: {range: [9, 0]}}', 'cannot be filled with the range [9, 0]'],
    ['a fractional range of ids', 'inputs: {ids: {range: [0, 0.5]}}', 'cannot be filled with the range'],
    ['zipf ids without a range', 'inputs: {ids: {fill: zipf}}', 'ids: {range: [0, 99999]}'],
    ['normal integers', 'inputs: {ids: {fill: normal}}', 'the fill "normal" makes none'],
    ['a constant without a value', 'inputs: {ids: {fill: constant}}', 'ids: {fill: constant, value: 1}'],
    ['a constant of another kind', 'inputs: {ids: {value: text}}', 'needs a number'],
    ['a fractional integer', 'inputs: {ids: {value: 0.5}}', 'cannot hold the value 0.5'],
    ['a file that was not read', 'inputs: {ids: {file: ids.npy}}', 'which was not read'],
  ])('about %s', (_, yaml, text) => {
    const known = { ids: { range: [0, 9] as [number, number] } };
    const given = config(yaml);
    const plan = planFeeds(null, facts([DENSE, IDS]), { ...given, inputs: { ...known, ...given.inputs } }, 8);
    expect(plan.questions).toEqual([expect.stringContaining(text)]);
  });

  it.each(['bfloat16', 'sequence', 'complex64'])('refuses %s inputs', (dtype) => {
    expect(planFeeds(null, facts([tensor('x', dtype, ['N'])]), {}, 1).questions[0]).toContain('cannot be fed');
  });

  it('for the batches of a model that takes only one', () => {
    const fixed = facts([tensor('x', 'float32', [4, 3])]);
    expect(planFeeds(null, fixed, {}, 8).questions[0]).toContain('batches: [4]');
    expect(planFeeds(null, fixed, {}, 4).questions).toEqual([]);
  });
});

describe('planFeeds follows the config', () => {
  it('resolves dims, fill, range and seed', () => {
    const given = config(
      'inputs: {dense: {dims: [batch, 13], fill: normal}, ids: {dims: [batch, fields], fill: zipf, range: [0, 99999], seed: 7}}\ndims: {fields: 26}',
    );
    expect(planFeeds(null, facts([DENSE, IDS]), given, 32)).toEqual({
      feeds: [
        { name: 'dense', dtype: 'float32', dims: [32, 13], arms: 'both', source: { fill: 'normal', seed: 0 } },
        {
          name: 'ids',
          dtype: 'int64',
          dims: [32, 26],
          arms: 'both',
          source: { fill: 'zipf', range: [0, 99999], seed: 7 },
        },
      ],
      questions: [],
      notes: [],
    });
  });

  it('sizes symbolic dimensions by name', () => {
    const plan = planFeeds(null, facts([tensor('x', 'float32', ['batch', 'seq'])]), config('dims: {seq: 77}'), 2);
    expect(plan.feeds[0]?.dims).toEqual([2, 77]);
  });

  it('cuts a range that exceeds the table, and says so', () => {
    const model = facts([IDS], { ids: { kind: 'table', rows: 2000, table: 't', rowBytes: 64 } });
    const plan = planFeeds(null, model, config('inputs: {ids: {range: [0, 99999]}}'), 1);
    expect(plan.feeds[0]?.source).toEqual({ fill: 'zipf', range: [0, 1999], seed: 0 });
    expect(plan.notes[0]).toContain('range cut to [0, 1999]: table t has 2000 rows');
  });

  it('takes rows of a file as the batch', () => {
    const given = config('inputs: {dense: {file: d.npz, key: a}}');
    const files = { 'd.npz#a': { dtype: 'float32', dims: [1000, 13], sha256: 'aa' } };
    expect(planFeeds(null, facts([DENSE]), given, 32, files).feeds[0]).toEqual({
      name: 'dense',
      dtype: 'float32',
      dims: [32, 13],
      arms: 'both',
      source: { file: 'd.npz', key: 'a' },
    });
    const wrong = { 'd.npz#a': { dtype: 'float32', dims: [1000, 12], sha256: 'aa' } };
    expect(planFeeds(null, facts([DENSE]), given, 32, wrong).questions[0]).toContain('of shape [1000, 12]');
    const double = { 'd.npz#a': { dtype: 'float64', dims: [1000, 13], sha256: 'aa' } };
    expect(planFeeds(null, facts([DENSE]), given, 32, double).questions[0]).toContain('save it as float32');
  });
});

describe('planFeeds with names from models of others', () => {
  it('takes constructor and __proto__ for names like any other', () => {
    const plan = planFeeds(
      null,
      facts([tensor('constructor', 'float32', ['batch', 'valueOf']), tensor('__proto__', 'int64', [3])]),
      {},
      1,
    );
    expect(plan.questions).toEqual([
      expect.stringContaining('valueOf: 128'),
      expect.stringContaining('__proto__: {range: [0, 99999]}'),
    ]);
  });
});

describe('planFeeds with two arms', () => {
  it('generates an input that exists on one side for that side', () => {
    const plan = planFeeds(
      facts([DENSE]),
      facts([DENSE, IDS], { ids: { kind: 'table', rows: 9, table: 't', rowBytes: 64 } }),
      {},
      4,
    );
    expect(plan.feeds.map(({ name, arms }) => [name, arms])).toEqual([
      ['dense', 'both'],
      ['ids', 'head'],
    ]);
  });

  it('keeps a feed for each side where dtype or shape changed', () => {
    const head = [tensor('dense', 'float16', ['batch', 14])];
    const plan = planFeeds(
      facts([DENSE]),
      facts(head),
      config('inputs: {dense: {dims: [batch, 14], dtype: float16}}'),
      4,
    );
    expect(plan.questions).toEqual([]);
    expect(plan.feeds.map(({ arms, dtype, dims }) => [arms, dtype, dims])).toEqual([
      ['base', 'float32', [4, 13]],
      ['head', 'float16', [4, 14]],
    ]);
  });

  it('asks once for what both arms miss', () => {
    expect(planFeeds(facts([IDS]), facts([IDS]), {}, 4).questions).toHaveLength(1);
  });
});
