import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halfBits } from '../../src/measure/feed-half.ts';
import { chooseFetch, smallestOutput } from '../../src/measure/fetch.ts';
import { compareOutputs, type OutputValues } from '../../src/measure/output-difference.ts';
import { readElements } from '../../src/measure/output-elements.ts';

const output = (elements: OutputValues['elements'], more: Partial<OutputValues> = {}): OutputValues => ({
  name: 'y',
  dtype: 'float32',
  dims: [elements.length],
  elements,
  ...more,
});

describe('outputs of both arms', () => {
  it.each([
    ['equal', [1, 2], [1, 2], 0, 0],
    ['apart by half of the largest', [1, -4], [1, -2], 2, 0.5],
    ['apart where base is all zero', [0, 0], [0, 3], 3, 1],
    ['NaN in both', [Number.NaN, 1], [Number.NaN, 1], 0, 0],
  ])('%s', (_, base, head, abs, rel) => {
    const { metrics, fault } = compareOutputs([output(base)], [output(head)]);
    expect(fault).toBeNull();
    expect(metrics).toEqual({ 'output.y.max-abs': abs, 'output.y.max-rel': rel });
  });

  it.each([
    ['NaN', output([1, Number.NaN]), 'output "y" holds 1 NaN or infinite values in head, none in base'],
    ['infinity', output([Infinity, 1]), 'output "y" holds 1 NaN or infinite values in head, none in base'],
    ['another shape', output([1, 2], { dims: [1, 2] }), 'output "y" has the shape [1, 2] in head, [2] in base'],
    ['another type', output([1, 2], { dtype: 'float16' }), 'output "y" is float16 in head, float32 in base'],
  ])('are broken by %s in head only', (_, head, fault) => {
    expect(compareOutputs([output([1, 2])], [head]).fault).toBe(fault);
  });

  it('are not broken by what base has too', () => {
    expect(compareOutputs([output([Number.NaN])], [output([Infinity])]).fault).toBeNull();
  });

  it('that exist on one side only are named, with what hides in their names', () => {
    const { notes, metrics } = compareOutputs([output([1], { name: 'a' })], [output([1], { name: 'b"\n' })]);
    expect(notes).toEqual(['outputs differ: only in base "a"; only in head "b\\"\\n"']);
    expect(metrics).toEqual({});
  });

  it('of text differ or not', () => {
    const text = (...elements: string[]) => output(elements, { dtype: 'string' });
    expect(compareOutputs([text('a', 'b')], [text('a', 'b')]).metrics['output.y.max-abs']).toBe(0);
    expect(compareOutputs([text('a', 'b')], [text('a', 'c')]).metrics['output.y.max-abs']).toBe(1);
  });
});

describe('elements of a tensor', () => {
  const bytesOf = (view: ArrayBufferView) => new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
  it.each([
    ['float32', new Float32Array([1.5, -2]), [1.5, -2]],
    ['float64', new Float64Array([1e-300]), [1e-300]],
    ['int8', new Int8Array([-1]), [-1]],
    ['bool', new Uint8Array([0, 1]), [0, 1]],
    ['int64', new BigInt64Array([-5n, 2n ** 40n]), [-5, 2 ** 40]],
    ['uint64', new BigUint64Array([7n]), [7]],
    ['uint16', new Uint16Array([65535]), [65535]],
  ])('of %s', (dtype, data, elements) => {
    expect(Array.from(readElements(dtype, bytesOf(data)) as ArrayLike<number>)).toEqual(elements);
  });

  it('of half floats are what was written', () => {
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true, noDefaultInfinity: true }), (value) => {
        const read = (bits: number) => Number(readElements('float16', bytesOf(new Uint16Array([bits])))[0]);
        const once = read(halfBits(value));
        expect(read(halfBits(once))).toBe(once);
        expect(Math.abs(once - value)).toBeLessThanOrEqual(Math.max(2 ** -24, Math.abs(value) / 2048));
      }),
    );
    const special = readElements('float16', bytesOf(new Uint16Array([0x7c00, 0xfc00, 0x7e00])));
    expect(Array.from(special as ArrayLike<number>)).toEqual([Infinity, -Infinity, Number.NaN]);
  });

  it('of text are a list', () => {
    expect(readElements('string', new TextEncoder().encode('["a","b"]'))).toEqual(['a', 'b']);
  });
});

describe('what timed runs fetch', () => {
  const small = output([1], { name: 'small' });
  const large = output([1, 2, 3], { name: 'large' });
  it.each([
    ['the smallest', 'smallest', [large, small], [large, small], ['small'], ['small']],
    ['the smallest that both have', 'smallest', [large], [small, large], ['large'], ['large']],
    ['each its own where none is shared', 'smallest', [large], [small], ['large'], ['small']],
    ['all', 'all', [large, small], [small], ['large', 'small'], ['small']],
  ] as const)('is %s', (_, policy, base, head, fromBase, fromHead) => {
    expect(chooseFetch(policy, base, head)).toEqual({ base: fromBase, head: fromHead });
  });

  it('of a new model is its own smallest', () => {
    expect(chooseFetch('smallest', null, [large, small])).toEqual({ base: null, head: ['small'] });
    expect(smallestOutput([large, small])).toBe('small');
  });
});
