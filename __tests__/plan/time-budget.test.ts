import { describe, expect, it } from '@jest/globals';
import { leastFailLook, planTime } from '../../src/plan/time-budget.ts';

describe('the first look at which a regression can be proven', () => {
  it.each([
    [1, 6],
    [2, 9],
    [7, 9],
    [12, 9],
    [13, 13],
    [102, 13],
    [205, 19],
    [5000, 19],
  ])('among %d rows is %d restarts', (k, look) => {
    expect(leastFailLook(k)).toBe(look);
  });
});

describe('the time plan', () => {
  it('adds up the first look of every group', () => {
    expect(planTime([5, 10], 1, 600_000).firstLookMinutes).toBeCloseTo(1.5, 9);
  });

  it('is content where the budget carries the first look and a proof', () => {
    expect(planTime([5], 1, 600_000).shortfall).toBeNull();
  });

  it.each([
    ['does not carry the first look', [60], 1, 60_000],
    ['too short to prove a regression', [10], 30, 90_000],
  ])('says that the budget %s', (words, seconds, k, budgetMs) => {
    expect(planTime(seconds, k, budgetMs).shortfall).toContain(words);
  });
});
