import { describe, expect, it } from '@jest/globals';
import { describedMeasurer } from '../../src/measure/described-measurer.ts';
import type { Measurer } from '../../src/measure/measurer.ts';
import { scriptedMeasurer } from '../fakes/scripted-measurer.ts';
import { buildGroup } from '../plan/planning.ts';

const SOLO = { base: [1], head: [2] };
const plain = scriptedMeasurer({ latencyMs: () => 1, machine: 1, spread: 0, seed: 1 });
const described = (measurer: Measurer) =>
  describedMeasurer(
    measurer,
    () => ({ refusal: null, engines: {} }),
    () => null,
  );

describe('a described measurer', () => {
  it('runs arms alone as the measurer behind it does, on the shown card', async () => {
    const seen: unknown[] = [];
    const measurer = described({
      ...plain,
      needsSoloPass: ({ head }) => head.session['device-id'] === undefined,
      soloPass: async ({ head }, caseIds) => {
        seen.push(head.session, caseIds);
        return { a: SOLO };
      },
    });
    const group = buildGroup('m', { provider: 'cuda' });
    const second = { ...group, head: { ...group.head, session: { 'device-id': 1 } } };
    expect(measurer.needsSoloPass?.(second)).toBe(true);
    expect(await measurer.soloPass?.(second, ['a'])).toEqual({ a: SOLO });
    expect(seen).toEqual([{}, ['a']]);
  });

  it('runs none alone where the measurer behind it cannot', async () => {
    const measurer = described(plain);
    expect(measurer.needsSoloPass?.(buildGroup('m'))).toBe(false);
    expect(await measurer.soloPass?.(buildGroup('m'), ['a'])).toEqual({});
  });
});
