import { describe, expect, it } from '@jest/globals';
import { fillFeed } from '../../src/measure/feed-fill.ts';
import { type FixedTensor, identityModelFor } from '../../src/model/identity.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { NODES, runOnnx } from '../fakes/run-onnx.ts';

const DTYPES = [
  'float16',
  'float32',
  'float64',
  'int8',
  'uint8',
  'int16',
  'uint16',
  'int32',
  'uint32',
  'int64',
  'uint64',
  'bool',
  'string',
];
const INPUTS: FixedTensor[] = [
  ...DTYPES.map((dtype) => ({ name: `in "${dtype}"`, dtype, dims: [2, 3] })),
  { name: 'sr', dtype: 'int64', dims: [] },
];
const OUTPUTS: FixedTensor[] = [
  ...DTYPES.map((dtype) => ({ name: `out/${dtype}`, dtype, dims: [3, 2] })),
  { name: 's', dtype: 'float32', dims: [] },
];

describe('identityModelFor', () => {
  it('has exactly the asked inputs and outputs', () => {
    const facts = readModel(identityModelFor(INPUTS, OUTPUTS), 'floor.onnx');
    expect(facts.inputs).toEqual(INPUTS);
    expect(facts.outputs).toEqual(OUTPUTS);
  });

  it.each(NODES)('takes feeds of every dtype and returns every dtype in %s', async (node) => {
    const feeds = INPUTS.map(({ name, dtype, dims }) => {
      const value = dtype === 'string' ? 'a' : dtype === 'bool' ? true : 1;
      return [
        name,
        fillFeed({ name, dtype, dims: [...dims], arms: 'both', source: { fill: 'constant', value, seed: 0 } }, 0),
      ] as const;
    });
    const { outputs, error } = await runOnnx(identityModelFor(INPUTS, OUTPUTS), Object.fromEntries(feeds), node);
    expect(error).toBeUndefined();
    expect(Object.entries(outputs ?? {}).map(([name, { dtype, dims }]) => ({ name, dtype, dims }))).toEqual(OUTPUTS);
  });
});
