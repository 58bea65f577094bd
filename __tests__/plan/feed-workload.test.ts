import { describe, expect, it } from '@jest/globals';
import { type DeclaredWork, workloadHash } from '../../src/plan/feed-workload.ts';
import type { FeedSpec } from '../../src/plan/plan.ts';

const IDS: FeedSpec = {
  name: 'ids',
  dtype: 'int64',
  dims: [8, 26],
  arms: 'both',
  source: { fill: 'zipf', range: [0, 9], seed: 0 },
};
const FILE: FeedSpec = { name: 'x', dtype: 'float32', dims: [8], arms: 'both', source: { file: 'x.npy' } };
const WORK: DeclaredWork = { batch: 8, feeds: [IDS, FILE], pool: null, fetch: 'smallest', scenario: 'closed' };
const FILES = { 'x.npy': { dtype: 'float32', dims: [8], sha256: 'aa' } };
const HASH = workloadHash(WORK, FILES);

describe('workloadHash', () => {
  it('is 16 hex digits and the same for the same work', () => {
    expect(HASH).toMatch(/^[0-9a-f]{16}$/);
    const reordered: FeedSpec = {
      source: { seed: 0, range: [0, 9], fill: 'zipf' },
      arms: 'both',
      dims: [8, 26],
      dtype: 'int64',
      name: 'ids',
    };
    expect(workloadHash({ ...WORK, feeds: [FILE, reordered] }, FILES)).toBe(HASH);
  });

  it.each<[string, Partial<DeclaredWork>]>([
    ['batch', { batch: 9 }],
    ['dims', { feeds: [{ ...IDS, dims: [8, 27] }, FILE] }],
    ['dtype', { feeds: [{ ...IDS, dtype: 'int32' }, FILE] }],
    ['fill', { feeds: [{ ...IDS, source: { ...IDS.source, fill: 'uniform' } }, FILE] }],
    ['range', { feeds: [{ ...IDS, source: { ...IDS.source, range: [0, 10] } }, FILE] }],
    ['seed', { feeds: [{ ...IDS, source: { ...IDS.source, seed: 1 } }, FILE] }],
    ['pool', { pool: 1 }],
    ['fetch', { fetch: 'all' }],
    ['scenario', { scenario: 'open' }],
  ])('changes with the %s', (_, change) => {
    expect(workloadHash({ ...WORK, ...change }, FILES)).not.toBe(HASH);
  });

  it('takes a file by its content, not by where it lies', () => {
    const moved: FeedSpec = { ...FILE, source: { file: 'y.npy' } };
    expect(
      workloadHash({ ...WORK, feeds: [IDS, moved] }, { 'y.npy': { dtype: 'float32', dims: [8], sha256: 'aa' } }),
    ).toBe(HASH);
    expect(workloadHash(WORK, { 'x.npy': { dtype: 'float32', dims: [8], sha256: 'bb' } })).not.toBe(HASH);
  });

  it('leaves out inputs that exist on one side only', () => {
    expect(workloadHash({ ...WORK, feeds: [IDS, FILE, { ...IDS, name: 'more', arms: 'head' }] }, FILES)).toBe(HASH);
  });
});
