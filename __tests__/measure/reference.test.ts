import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REFERENCE_ROUNDS } from '../../src/baseline/reference-workload.ts';
import type { MeasurerOptions } from '../../src/measure/measurer-options.ts';
import type { CaseGroup } from '../../src/plan/plan.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';
import { type Bench, feed, groupOf, LITTLE_EFFORT, openBench } from './measurer-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const ID = 'm/cpu/b4/c1';

/** One restart of a group, and the seconds it took. */
async function restartOf(change: Partial<CaseGroup>, options: Partial<MeasurerOptions> = {}) {
  const arms = [bench.arm(tinyMlp()), bench.arm(tinyMlp())] as const;
  const group = { ...groupOf(arms[0], arms[1], [feed('x', 'float32', [4, 16])]), ...change };
  const measurer = bench.measurer(options);
  try {
    await measurer.prepare(group);
    return (await measurer.restart(group, 0, [ID])).pairs[ID];
  } finally {
    await measurer.finish(group);
  }
}

describe('the reference workload', () => {
  it.each(['duet', 'pairs', 'inproc'] as const)('takes one turn a round beside head in mode %s', async (mode) => {
    const pair = await restartOf({ reference: true }, { mode });
    const turns = pair?.head.rounds?.[REFERENCE_ROUNDS] ?? [];
    expect(turns).toHaveLength(LITTLE_EFFORT.rounds);
    for (const ms of turns) expect(ms).toBeGreaterThan(0);
    expect(pair?.base?.rounds).not.toHaveProperty([REFERENCE_ROUNDS]);
    expect(pair?.head.values).not.toHaveProperty([REFERENCE_ROUNDS]);
    expect(pair?.head).toMatchObject({ valid: true });
    expect(readdirSync(join(bench.root, 'staging'))).toEqual([]);
  });

  it('takes turns beside a head whose base can’t be run', async () => {
    const pair = await restartOf({ reference: true, base: null, baseFault: 'gone' });
    expect(pair?.head.rounds?.[REFERENCE_ROUNDS]).toHaveLength(LITTLE_EFFORT.rounds);
  });

  it('stays away where nothing is stored', async () => {
    const pair = await restartOf({});
    expect(pair?.head.rounds).not.toHaveProperty([REFERENCE_ROUNDS]);
  });
});
