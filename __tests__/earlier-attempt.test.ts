import { describe, expect, it } from '@jest/globals';
import { type EarlierFiles, resume } from '../src/earlier-attempt.ts';
import { buildMeasurements } from '../src/measure/build-measurement.ts';
import { openRecords } from '../src/measure/case-record.ts';
import { buildGroup } from './plan/planning.ts';

const SOLO = { base: [1, 1, 1], head: [1.1, 1.1, 1.1] };
const group = buildGroup('m', {}, [1, 32]);
const [small, large] = openRecords(group);
if (!small || !large) throw new Error('the group has two cases');

/** Restarts of both arms that decide nothing, and runs alone of the first case. */
const restarts = [0, 1, 2].map((index) => ({ index, valid: true, notes: [], values: { 'latency.p50': 1 } }));
const earlier: EarlierFiles = buildMeasurements(
  [
    { ...small, base: restarts, head: restarts, solo: SOLO },
    { ...large, base: restarts, head: restarts },
  ],
  {
    createdAt: '2026-12-01T10:00:00Z',
    toolVersion: '1',
    session: 's1',
    environment: { class: 'c1', facts: {} },
    manifest: { seed: 's', k: 2, looks: [6], rows: [] },
    durationS: 1,
    notes: [],
    faults: [],
    commits: { base: null, head: null },
  },
);

describe('a case that goes on from an earlier attempt', () => {
  it('keeps its restarts and what its arms did alone', () => {
    const book = { config: { version: 1 as const }, manifest: null, today: null };
    const { groups, open } = resume([group], { ...earlier, use: 'continue' }, 'c1', book);
    expect(groups).toEqual([group]);
    expect(open(small)).toMatchObject({ base: restarts, head: restarts, solo: SOLO });
    expect(open(large).head).toEqual(restarts);
    expect(open(large).solo).toBeUndefined();
  });
});
