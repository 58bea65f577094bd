import { describe, expect, it } from '@jest/globals';
import { fisherFewerInB, fisherTwoSided } from '../../src/compare/fisher.ts';

describe("Fisher's exact test", () => {
  it('is 1 / C(2n, n) where all of A and none of B are hits', () => {
    expect(fisherFewerInB({ hitsA: 6, missesA: 0, hitsB: 0, missesB: 6 })).toBeCloseTo(1 / 924, 15);
    expect(fisherFewerInB({ hitsA: 9, missesA: 0, hitsB: 0, missesB: 9 })).toBeCloseTo(1 / 48620, 15);
  });

  // The lady tasting tea (Fisher 1935): 3 of 4 right has probability 17/70, all right 1/70.
  it('gives the values of the tea experiment', () => {
    expect(fisherFewerInB({ hitsA: 3, missesA: 1, hitsB: 1, missesB: 3 })).toBeCloseTo(17 / 70, 12);
    expect(fisherFewerInB({ hitsA: 4, missesA: 0, hitsB: 0, missesB: 4 })).toBeCloseTo(1 / 70, 12);
    expect(fisherTwoSided({ hitsA: 3, missesA: 1, hitsB: 1, missesB: 3 })).toBeCloseTo(34 / 70, 12);
  });

  it('is 1 where there is nothing to tell apart', () => {
    expect(fisherFewerInB({ hitsA: 0, missesA: 6, hitsB: 0, missesB: 6 })).toBeCloseTo(1, 12);
    expect(fisherTwoSided({ hitsA: 0, missesA: 6, hitsB: 0, missesB: 6 })).toBeCloseTo(1, 12);
  });
});
