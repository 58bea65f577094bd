import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pAbove, pWithin, signedRankP, untiedTails } from '../../src/compare/signed-rank.ts';

// d of the R session whose printed values are checked here (R 4.2, wilcox.test(exact = TRUE)).
const D = [0.012, -0.004, 0.021, 0.008, 0.015, 0.003, -0.001, 0.019, 0.011, 0.006];

/** P(W+ ≥ w) by enumerating all 2^n sign assignments of the observed |x|: the definition itself. */
function pByEnumeration(x: readonly number[]): number {
  const kept = x.filter((value) => value !== 0);
  const sizes = kept.map(Math.abs);
  const rank = (size: number) => {
    const below = sizes.filter((other) => other < size).length;
    const equal = sizes.filter((other) => other === size).length;
    return below + (equal + 1) / 2;
  };
  const ranks = sizes.map(rank);
  const sum = (isPlus: (i: number) => boolean) => ranks.reduce((total, r, i) => total + (isPlus(i) ? r : 0), 0);
  const observed = sum((i) => (kept[i] ?? 0) > 0);
  let atLeast = 0;
  for (let signs = 0; signs < 2 ** kept.length; signs++)
    if (sum((i) => ((signs >> i) & 1) === 1) >= observed) atLeast++;
  return atLeast / 2 ** kept.length;
}

describe('signedRankP', () => {
  it.each([
    [0, 0.006835938],
    [0.005, 0.09667969],
  ])('gives the value R prints for mu = %d', (mu, expected) => {
    expect(pAbove(D, mu, 1e-6)).toBeCloseTo(expected, 8);
  });

  it('is exact with ties where R only approximates', () => {
    expect(signedRankP([1, 1, 2, -1, 3, 3, 2, -2])).toBe(0.078125);
  });

  it('equals the enumeration of all signs, with ties and zeros', () => {
    const smallInteger = fc.integer({ min: -4, max: 4 });
    fc.assert(
      fc.property(fc.array(smallInteger, { minLength: 1, maxLength: 9 }), (x) => {
        expect(signedRankP(x)).toBeCloseTo(pByEnumeration(x), 12);
      }),
    );
  });

  it('is 1 where nothing but zeros is left', () => {
    expect(signedRankP([])).toBe(1);
    expect(signedRankP([0, 0, 0])).toBe(1);
  });

  it.each([1, 6, 13, 41])('is 2^-n where all %d differences are positive', (n) => {
    expect(signedRankP(Array.from({ length: n }, (_, i) => i + 1))).toBeCloseTo(2 ** -n, 15);
    expect(signedRankP(Array.from({ length: n }, () => 7))).toBeCloseTo(2 ** -n, 15);
  });

  it('is symmetric in the sign and does not depend on the scale', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.double({ min: 0.001, max: 1, noNaN: true }), { minLength: 2, maxLength: 9 }),
        (sizes) => {
          const x = sizes.map((size, i) => (i % 2 === 0 ? size : -size));
          expect(signedRankP(x) + signedRankP(x.map((value) => -value))).toBeGreaterThanOrEqual(1);
          expect(signedRankP(x)).toBe(signedRankP(x.map((value) => value * 4)));
        },
      ),
    );
  });

  it('falls when a difference grows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: 2, maxLength: 12 }),
        fc.nat(),
        (x, at) => {
          const more = x.map((value, i) => (i === at % x.length ? value + 0.5 : value));
          expect(pAbove(more, 0, 0)).toBeLessThanOrEqual(pAbove(x, 0, 0) + 1e-12 + zeroSlack(x, more));
        },
      ),
    );
  });
});

/** Dropping a zero changes the conditional distribution: monotony is promised only while the zeros stay. */
function zeroSlack(x: readonly number[], more: readonly number[]): number {
  const zeros = (values: readonly number[]) => values.filter((value) => value === 0).length;
  const hasTies = new Set(more.map(Math.abs)).size < more.length || new Set(x.map(Math.abs)).size < x.length;
  return zeros(x) !== zeros(more) || hasTies ? 1 : 0;
}

describe('pWithin', () => {
  it('counts exactly the threshold as within', () => {
    expect(pWithin([0, 0, 0, 0, 0, 0], 0, 1e-9)).toBe(1 / 64);
    expect(pAbove([0, 0, 0, 0, 0, 0], 0, 1e-9)).toBe(1);
  });

  it('mirrors pAbove away from the threshold', () => {
    expect(pWithin(D, 0.0055, 1e-6)).toBe(
      pAbove(
        D.map((value) => -value),
        -0.0055,
        1e-6,
      ),
    );
  });
});

describe('untiedTails', () => {
  it('counts the subsets of 1…n that reach a sum', () => {
    expect([...untiedTails(3)].map((p) => p * 8)).toEqual([8, 7, 6, 5, 3, 2, 1]);
  });
});
