import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pAbove } from '../../src/compare/signed-rank.ts';
import { hodgesLehmann, walshInterval } from '../../src/compare/walsh.ts';

const D = [0.012, -0.004, 0.021, 0.008, 0.015, 0.003, -0.001, 0.019, 0.011, 0.006];
const distinct = fc.uniqueArray(fc.integer({ min: -1000, max: 1000 }), { minLength: 6, maxLength: 14 });

describe('Walsh interval and Hodges-Lehmann estimate', () => {
  it('give what R prints', () => {
    expect(hodgesLehmann(D)).toBeCloseTo(0.009, 12);
    const wide = walshInterval(D, 0.025);
    expect([wide[0], wide[1]].map((end) => Number(end?.toFixed(6)))).toEqual([0.003, 0.015]);
    const narrow = walshInterval(D, 0.0078);
    expect([narrow[0], narrow[1]].map((end) => Number(end?.toFixed(6)))).toEqual([0.001, 0.017]);
  });

  it('is unbounded where n cannot reach the level', () => {
    expect(walshInterval([1, 2, 3, 4, 5], 1 / 64)).toEqual([null, null]);
    expect(walshInterval([1, 2, 3, 4, 5, 6], 1 / 64)).toEqual([1, 6]);
  });

  it('agrees with the test: the threshold is proven exactly where it lies below the lower end', () => {
    fc.assert(
      fc.property(
        distinct,
        fc.integer({ min: -2000, max: 2000 }),
        fc.constantFrom(1 / 64, 0.01, 0.05),
        (d, half, level) => {
          const threshold = half / 2 + 0.25;
          const low = walshInterval(d, level)[0] ?? Number.NEGATIVE_INFINITY;
          expect(pAbove(d, threshold, 0) <= level).toBe(low > threshold);
        },
      ),
    );
  });

  it('move with a shift and stretch with a scale', () => {
    fc.assert(
      fc.property(distinct, fc.integer({ min: -50, max: 50 }), (d, shift) => {
        expect(hodgesLehmann(d.map((value) => value + shift))).toBeCloseTo(hodgesLehmann(d) + shift, 9);
        expect(hodgesLehmann(d.map((value) => value * 4))).toBeCloseTo(hodgesLehmann(d) * 4, 9);
      }),
    );
  });
});
