import { describe, expect, it } from '@jest/globals';
import type { TensorInfo } from '../../src/model/model-facts.ts';
import { describeSignatureChanges, diffSignatures } from '../../src/model/signature.ts';

function tensor(name: string, dtype: string, dims: TensorInfo['dims']): TensorInfo {
  return { name, dtype, dims };
}

const X = tensor('x', 'float32', ['batch', 13]);
const Y = tensor('y', 'float32', ['batch', 1]);

describe('diffSignatures', () => {
  it.each<[string, TensorInfo[], string]>([
    ['nothing', [X], ''],
    ['another name of a symbolic dimension', [tensor('x', 'float32', ['N', 13])], ''],
    ['an input added', [X, tensor('ids', 'int64', ['batch', 26])], 'input ids added (int64[batch, 26])'],
    ['an input removed', [], 'input x removed (was float32[batch, 13])'],
    [
      'another dtype',
      [tensor('x', 'float16', ['batch', 13])],
      'input x changed from float32[batch, 13] to float16[batch, 13]',
    ],
    [
      'another size',
      [tensor('x', 'float32', ['batch', 14])],
      'input x changed from float32[batch, 13] to float32[batch, 14]',
    ],
    [
      'a dimension that became dynamic',
      [tensor('x', 'float32', ['batch', ''])],
      'input x changed from float32[batch, 13] to float32[batch, ?]',
    ],
    ['another rank', [tensor('x', 'float32', [13])], 'input x changed from float32[batch, 13] to float32[13]'],
    ['an unknown rank', [tensor('x', 'float32', null)], 'input x changed from float32[batch, 13] to float32'],
  ])('describes %s', (_, inputs, text) => {
    const changes = diffSignatures({ inputs: [X], outputs: [Y] }, { inputs, outputs: [Y] });
    expect(describeSignatureChanges(changes)).toBe(text);
  });

  it('names the kind of each change, inputs before outputs', () => {
    const head = {
      inputs: [tensor('x', 'float32', [13])],
      outputs: [tensor('y', 'float16', ['batch', 1]), tensor('z', 'bool', [])],
    };
    expect(
      diffSignatures({ inputs: [X], outputs: [Y] }, head).map(({ side, name, kind }) => [side, name, kind]),
    ).toEqual([
      ['input', 'x', 'rank'],
      ['output', 'y', 'dtype'],
      ['output', 'z', 'added'],
    ]);
  });
});
