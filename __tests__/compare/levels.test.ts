import { describe, expect, it } from '@jest/globals';
import {
  FAIR_COINS,
  looksPlanned,
  looksUntil,
  type Replay,
  type Size,
  sizesOf,
  TILTED,
} from '../../bench/levels/sizes.ts';
import { lastLook, reachedLooks, regularLook } from '../../src/compare/looks.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';

const SEED = 20;
const PATHS = 30_000;

const ENDS = [6, 7, 8, 12, 17, 30, 41];
const PLANS = [6, 9, 13, 19, 28];
const SIZES = [2, 3, 11, 30, 103, 999, 5000, 20_000];

const byRow = (n: number): Replay => ({ looks: looksUntil(n, 1), level: 'rowLevel' });
const byPlan = (n: number): Replay => ({ looks: looksPlanned(n, 1), level: 'rowLevel' });
const byFamily = (k: number, n: number): Replay => ({ looks: looksUntil(n, k), level: 'familyLevel' });

const fair = sizesOf([...ENDS.map(byRow), ...PLANS.map(byPlan), byFamily(3, 41)], PATHS, SEED, FAIR_COINS);
const tilted = sizesOf(
  [...SIZES.map((k) => byFamily(k, 41)), ...SIZES.map((k) => byFamily(k, 14))],
  PATHS,
  SEED,
  TILTED,
);

function sizeAt(sizes: readonly Size[], at: number): Size {
  const size = sizes[at];
  if (!size) throw new Error(`no size ${at}`);
  return size;
}

/** The simulated error lies at or below the target, as far as the simulation can tell. */
function expectAtMost({ share, error }: Size, target: number): void {
  expect(share - 3.5 * error).toBeLessThanOrEqual(target);
}

describe('error levels, by simulation of rows without a difference', () => {
  it.each(ENDS)('a row that ends after %d restarts is judged wrongly at the margin in at most 4.95 %', (n) => {
    const size = sizeAt(fair, ENDS.indexOf(n));
    expectAtMost(size, 0.0495);
    expect(size.share).toBeGreaterThan(n === 6 ? 0.012 : 0.04);
  });

  it.each(PLANS)('a plan that ends at look %d by intention spends the same total', (n) => {
    expectAtMost(sizeAt(fair, ENDS.length + PLANS.indexOf(n)), 0.0495);
  });

  it.each(SIZES)('one of %d rows is called different in at most 5 % of families', (k) => {
    expectAtMost(sizeAt(tilted, SIZES.indexOf(k)), 0.05 / k);
    expectAtMost(sizeAt(tilted, SIZES.length + SIZES.indexOf(k)), 0.05 / k);
  });

  it('importance sampling agrees with fair coins where both can see', () => {
    const [plain, weighted] = [sizeAt(fair, ENDS.length + PLANS.length), sizeAt(tilted, SIZES.indexOf(3))];
    expect(Math.abs(plain.share - weighted.share)).toBeLessThan(4 * Math.hypot(plain.error, weighted.error));
  });
});

describe('reachedLooks', () => {
  const plan = { looks: [...LOOKS], stage: 'ended' as const };

  it('gives the regular looks, and one more where measuring ended between two of them', () => {
    expect(reachedLooks(plan, 13, 1).map((look) => look.n)).toEqual([6, 9, 13]);
    expect(reachedLooks(plan, 15, 1).map((look) => look.n)).toEqual([6, 9, 13, 15]);
    expect(reachedLooks({ ...plan, stage: 'measuring' }, 15, 1).map((look) => look.n)).toEqual([6, 9, 13]);
    expect(reachedLooks(plan, 60, 1).map((look) => look.n)).toEqual([...LOOKS]);
    expect(reachedLooks(plan, 5, 1)).toEqual([]);
  });

  it('keeps the levels of the design', () => {
    expect(reachedLooks(plan, 41, 1).map((look) => look.rowLevel)).toEqual([1 / 64, 0.01, 0.01, 0.01, 0.01, 0.0225]);
  });

  it('lets no row be proven worse before 2^-n ≤ .05/(2k)', () => {
    const first = (k: number) => LOOKS.find((n) => regularLook(n, k).familyLevel >= 2 ** -n);
    expect([1, 2, 3, 6, 7, 8, 50, 102, 110, 256].map(first)).toEqual([6, 9, 9, 9, 9, 13, 13, 13, 19, 19]);
  });

  it('never gets more lenient as k grows', () => {
    for (const n of [9, 13, 19, 28, 41]) {
      const levels = Array.from({ length: 6000 }, (_, i) => regularLook(n, i + 1).familyLevel).filter(
        (level) => level > 0,
      );
      expect(levels).toEqual([...levels].sort((a, b) => b - a));
    }
    expect(lastLook(20, 10_000).familyLevel).toBeLessThan(lastLook(20, 5000).familyLevel);
  });

  it('decides nothing at numbers that are no regular look, unless it is the last', () => {
    const looks = reachedLooks({ looks: [7, 8, 10], stage: 'ended' }, 10, 1);
    expect(looks.map((look) => look.rowLevel > 0)).toEqual([false, false, true]);
  });
});
