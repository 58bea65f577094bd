import { describe, expect, it } from '@jest/globals';
import { type Decider, duet, history, MARGIN } from '../../bench/baseline/creep-history.ts';
import { seededNormal } from '../../bench/baseline/random.ts';

const HISTORIES = 40;

/** Steps at which seeded histories of pushes failed, sorted; sessions differ in absolute speed by 15 %. */
function failures(steps: number, step: number, sigma: number, decider: Decider): number[] {
  const normal = seededNormal(3);
  return Array.from(
    { length: HISTORIES },
    () => history(steps, Math.log1p(step), sigma, decider, normal).failedAt,
  ).sort((a, b) => a - b);
}

describe('creep over a history of pushes', () => {
  it.each([
    ['anchor', 0.005],
    ['anchor', 0.01],
    ['chain', 0.003],
    ['chain', 0.005],
  ] as const)('ten steps of +1 %% fail at step 6 or 7 in the median, by the %s at a spread of %d', (decider, sigma) => {
    const median = failures(10, 0.01, sigma, decider)[HISTORIES / 2];
    expect([6, 7]).toContain(median);
  });

  it.each(['anchor', 'chain'] as const)('25 steps of 0 %% never fail, by the %s', (decider) => {
    for (const sigma of [0.003, 0.01]) expect(failures(25, 0, sigma, decider)[0]).toBe(Number.POSITIVE_INFINITY);
  });

  it('a +40 % value that arrives again and again fails each time and is never accepted (G16)', () => {
    const normal = seededNormal(4);
    for (let arrival = 0; arrival < 5; arrival++) {
      expect(duet(Math.log(1.4), 0.01, MARGIN, normal).decision).toBe('beyond');
    }
  });
});
