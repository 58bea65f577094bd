import { describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import { DEFAULT_EFFORT, restartSeconds } from '../../src/measure/effort.ts';
import { pastSeconds } from '../../src/measure/past-seconds.ts';
import { planShards } from '../../src/plan/shard-plan.ts';
import { accepted, HEADER } from '../baseline/samples.ts';

const CASE = 'ranker/cuda/b32/c1';

/** Sessions of six restarts that took the given milliseconds. */
function baselineOf(values: readonly number[]): Baseline {
  const sessions = values.map((value, index) => accepted({ session: `s${index}`, value }));
  return appendSessions(null, HEADER, sessions) as Baseline;
}

describe('past seconds', () => {
  it('are the usual restarts and one priming start of what the last sessions took', () => {
    const expected = 7 * restartSeconds(50, DEFAULT_EFFORT);
    expect(pastSeconds([baselineOf([9, 50, 50, 50, 50, 50])], [CASE], 60)).toBeCloseTo(expected, 0);
  });

  it('take a case that no session knows for a usual one, and know nothing without any session', () => {
    const known = pastSeconds([baselineOf([1])], [CASE], 60) ?? 0;
    expect(pastSeconds([baselineOf([1])], [CASE, 'ranker/cuda/b1/c1'], 60)).toBe(known + 60);
    expect(pastSeconds([], [CASE], 60)).toBeNull();
  });

  it('keep a slow model in a shard of its own', () => {
    const model = (id: string, value: number) => ({
      id,
      config: { providers: ['cuda'] as [string], batches: [32] as [number] },
      pastSeconds: pastSeconds([baselineOf([value])], [CASE], 60),
    });
    const shards = planShards([model('a', 1), model('slow', 1600), model('b', 1)], 'cuda', {
      shards: 2,
      budgetS: 1200,
    });
    expect(shards.map(({ models }) => models)).toEqual([['slow'], ['a', 'b']]);
  });
});
