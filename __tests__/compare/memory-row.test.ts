import { describe, expect, it } from '@jest/globals';
import { judgeMemoryRow, memoryLevel } from '../../src/compare/memory-row.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';

const MIB = 2 ** 20;
const ALLOWANCE = { margin: { fraction: 0.02, floor: MIB }, maxIncrease: null };
const family = (memoryRows: number) => ({ k: 1, memoryRows, looks: [...LOOKS], stage: 'ended' as const });
const fill = (count: number, mib: number) => Array.from({ length: count }, () => mib * MIB);
/** A high mode in the restarts `high`, as allocators have it. */
const modes = (count: number, high: readonly number[]) =>
  Array.from({ length: count }, (_, i) => (high.includes(i) ? 106 : 100) * MIB);

describe('judgeMemoryRow', () => {
  it('passes equal peaks at the first look', () => {
    expect(judgeMemoryRow(fill(6, 100), fill(6, 100), ALLOWANCE, family(1))).toMatchObject({
      decision: 'within',
      n: 6,
      proven: null,
    });
  });

  it('proves a larger head as soon as 1 / C(2n, n) is small enough for the number of rows', () => {
    const judged = (rows: number) => judgeMemoryRow(fill(41, 100), fill(41, 110), ALLOWANCE, family(rows));
    expect(judged(1)).toMatchObject({ decision: 'beyond', n: 6, proven: 'worse', p: expect.closeTo(1 / 924, 9) });
    expect(judged(7).n).toBe(6);
    expect(judged(8).n).toBe(9);
    expect(memoryLevel(family(8))).toBeCloseTo(0.05 / 48, 12);
  });

  it.each([
    ['both arms have two modes', modes(6, [0, 3]), modes(6, [1, 2, 4])],
    ['head alone shows the high mode', modes(6, []), modes(6, [0, 2])],
  ])('passes where %s and some head restarts are low', (_, base, head) => {
    expect(judgeMemoryRow(base, head, ALLOWANCE, family(1)).decision).toBe('within');
  });

  it('asks for more restarts where head is high by chance or by change alike', () => {
    const base = modes(6, [0, 1, 2, 4]);
    expect(judgeMemoryRow(base, fill(6, 106), ALLOWANCE, family(1))).toMatchObject({
      decision: 'undecided',
      within: 0,
    });
    expect(judgeMemoryRow(modes(6, []), modes(6, [0, 1, 2, 3, 4]), ALLOWANCE, family(1)).decision).toBe('undecided');
  });

  it('allows the fraction and the floor together', () => {
    const base = fill(6, 10);
    expect(judgeMemoryRow(base, fill(6, 11.2), ALLOWANCE, family(1)).decision).toBe('within');
    expect(judgeMemoryRow(base, fill(6, 11.3), ALLOWANCE, family(1)).decision).toBe('beyond');
  });

  it('decides nothing before six restarts', () => {
    expect(judgeMemoryRow(fill(5, 100), fill(5, 100), ALLOWANCE, family(1))).toMatchObject({
      decision: 'undecided',
      n: 5,
    });
  });

  it('calls a smaller head better only where that is proven', () => {
    expect(judgeMemoryRow(fill(6, 100), fill(6, 80), ALLOWANCE, family(1))).toMatchObject({
      decision: 'within',
      proven: 'better',
    });
    expect(judgeMemoryRow(fill(6, 100), [...fill(4, 80), ...fill(2, 100)], ALLOWANCE, family(1)).proven).toBeNull();
  });

  // Second look, finding 5: the rule by minima failed 25 % of unchanged rows with a high mode in 89 % of starts.
  it('fails unchanged memory with modes in fewer than 1 row of 1,000 at every share of the high mode', () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    for (const share of [0.1, 0.4, 0.6, 0.8, 0.89, 0.95]) {
      const draw = () => Array.from({ length: 41 }, () => (random() < share ? 106 : 100) * MIB);
      let failed = 0;
      let passed = 0;
      for (let row = 0; row < 300; row++) {
        const { decision } = judgeMemoryRow(draw(), draw(), ALLOWANCE, family(10));
        if (decision === 'beyond') failed++;
        if (decision === 'within') passed++;
      }
      expect(failed).toBeLessThanOrEqual(1);
      expect(passed).toBeGreaterThan(285);
    }
  });
});
