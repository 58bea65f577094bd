import { describe, expect, it } from '@jest/globals';
import { type PoolNeeds, poolNeeds, poolSize } from '../../src/measure/feed-pool.ts';
import type { FeedSpec } from '../../src/plan/plan.ts';

const MIB = 2 ** 20;
const NEEDS: PoolNeeds = {
  bytesPerFeed: 1e5,
  touchedBytesPerFeed: 1e5,
  lastLevelCacheBytes: 32 * MIB,
  hasIntegerIds: false,
  requested: null,
};

describe('poolSize', () => {
  it.each<[string, Partial<PoolNeeds>, number]>([
    ['exceeds twice the last-level cache', {}, 672],
    ['needs few feeds that touch much', { touchedBytesPerFeed: 64 * MIB }, 2],
    ['keeps at least 64 feeds of ids', { touchedBytesPerFeed: 64 * MIB, hasIntegerIds: true }, 64],
    ['keeps within 256 MiB, ids or not', { bytesPerFeed: 16 * MIB, touchedBytesPerFeed: 16, hasIntegerIds: true }, 16],
    ['keeps one feed of any size', { bytesPerFeed: 1e9, touchedBytesPerFeed: 1e9 }, 1],
    ['stops at 4,096 tiny feeds', { bytesPerFeed: 300, touchedBytesPerFeed: 64 }, 4096],
    ['copes with feeds of no bytes', { bytesPerFeed: 0, touchedBytesPerFeed: 0 }, 4096],
    ['takes the configured size', { requested: 1, hasIntegerIds: true }, 1],
  ])('%s', (_, change, size) => {
    expect(poolSize({ ...NEEDS, ...change })).toBe(size);
  });
});

describe('poolNeeds', () => {
  const ids: FeedSpec = {
    name: 'ids',
    dtype: 'int64',
    dims: [128, 26],
    arms: 'both',
    source: { fill: 'zipf', range: [0, 9], seed: 0 },
  };
  const mask: FeedSpec = {
    name: 'mask',
    dtype: 'int64',
    dims: [128],
    arms: 'both',
    source: { fill: 'constant', value: 1, seed: 0 },
  };

  it('counts the table rows that ids touch', () => {
    const needs = poolNeeds([ids, mask], { ids: { kind: 'table', rows: 10, table: 't', rowBytes: 64 } }, MIB, null);
    const fed = 128 * 26 * 8 + 128 * 8;
    expect(needs).toEqual({
      bytesPerFeed: fed + 512,
      touchedBytesPerFeed: fed + 128 * 26 * 64,
      lastLevelCacheBytes: MIB,
      hasIntegerIds: true,
      requested: null,
    });
  });

  it('takes constants for no ids', () => {
    expect(poolNeeds([mask], {}, MIB, 3)).toMatchObject({ hasIntegerIds: false, requested: 3 });
  });
});
