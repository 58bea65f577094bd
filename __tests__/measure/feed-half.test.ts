import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { halfBits } from '../../src/measure/feed-half.ts';

/** Value of a finite half float's bits, by its definition. */
function halfValue(bits: number): number {
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
  return bits & 0x8000 ? -magnitude : magnitude;
}

describe('halfBits', () => {
  it('returns every finite half float unchanged', () => {
    const finite = [...Array(0x10000).keys()].filter((bits) => (bits & 0x7c00) !== 0x7c00);
    expect(finite.filter((bits) => halfBits(halfValue(bits)) !== bits)).toEqual([]);
  });

  it.each([
    [65519, 0x7bff],
    [65520, 0x7c00],
    [Number.POSITIVE_INFINITY, 0x7c00],
    [Number.NEGATIVE_INFINITY, 0xfc00],
    [Number.NaN, 0x7e00],
    [2 ** -25, 0],
    [2 ** -25 * 1.001, 1],
    [-(2 ** -25) * 1.001, 0x8001],
    [1 + 2 ** -11, 0x3c00],
    [1 + 3 * 2 ** -11, 0x3c02],
    [-0, 0x8000],
  ])('rounds %d to nearest even', (value, bits) => {
    expect(halfBits(value)).toBe(bits);
  });

  it('rounds to a nearest half float', () => {
    fc.assert(
      fc.property(fc.float({ min: -65000, max: 65000, noNaN: true }), (value) => {
        const bits = halfBits(value);
        const distance = Math.abs(halfValue(bits) - value);
        for (const near of [bits - 1, bits + 1])
          if ((near & 0x7c00) !== 0x7c00 && near >= 0)
            expect(distance).toBeLessThanOrEqual(Math.abs(halfValue(near) - value));
      }),
    );
  });
});
