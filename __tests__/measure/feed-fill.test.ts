import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { max, mean, min, sampleKurtosis, standardDeviation } from 'simple-statistics';
import { dataBytes, type Feed, fillFeed, toTensorLike } from '../../src/measure/feed-fill.ts';
import type { FeedSpec } from '../../src/plan/plan.ts';

function spec(dtype: string, source: FeedSpec['source'], dims: number[] = [40, 50], name = 'x'): FeedSpec {
  return { name, dtype, dims, arms: 'both', source };
}

function numbers(feed: Feed): number[] {
  return Array.from(feed.data as ArrayLike<number | bigint>, Number);
}

function digest(feed: Feed): string {
  const { buffer, byteOffset, byteLength } = feed.data as Uint8Array;
  return createHash('sha256')
    .update(new Uint8Array(buffer, byteOffset, byteLength))
    .digest('hex')
    .slice(0, 16);
}

describe('fillFeed', () => {
  it.each<[string, FeedSpec, string]>([
    ['normal floats', spec('float32', { fill: 'normal', seed: 0 }), 'c040985af7cb2b8d'],
    ['normal halves', spec('float16', { fill: 'normal', seed: 0 }), 'a765490bf01ab9c3'],
    ['uniform doubles', spec('float64', { fill: 'uniform', range: [-1, 1], seed: 3 }), '7b008b5512cad6e4'],
    ['zipf ids', spec('int64', { fill: 'zipf', range: [0, 99_999], seed: 7 }), '426a2e511ab0d118'],
  ])('gives the same bytes everywhere: %s', (_, given, expected) => {
    expect(digest(fillFeed(given, 5))).toBe(expected);
  });

  it('gives other data for another pool index, seed or input, and none of it by chance', () => {
    const source = { fill: 'normal', seed: 0 } as const;
    const feeds = [
      fillFeed(spec('float32', source), 0),
      fillFeed(spec('float32', source), 1),
      fillFeed(spec('float32', { ...source, seed: 1 }), 0),
      fillFeed(spec('float32', source, [40, 50], 'y'), 0),
    ];
    expect(new Set(feeds.map(digest)).size).toBe(4);
    expect(digest(fillFeed(spec('float32', source), 1))).toBe(digest(feeds[1] as Feed));
  });

  it('draws standard normal numbers', () => {
    const drawn = numbers(fillFeed(spec('float32', { fill: 'normal', seed: 1 }, [200_000]), 0));
    expect(mean(drawn)).toBeCloseTo(0, 2);
    expect(standardDeviation(drawn)).toBeCloseTo(1, 2);
    expect(Math.abs(sampleKurtosis(drawn))).toBeLessThan(0.05);
  });

  it.each([
    ['int8', -128, 127],
    ['uint8', 0, 255],
    ['int16', -3, 3],
    ['uint16', 0, 65535],
    ['int32', -(2 ** 31), 2 ** 31 - 1],
    ['uint32', 0, 2 ** 32 - 1],
    ['int64', -(2 ** 40), 2 ** 40],
    ['uint64', 2 ** 33, 2 ** 33 + 1],
  ])('keeps uniform %s within %d and %d, using both ends of the range', (dtype, low, high) => {
    const drawn = numbers(fillFeed(spec(dtype, { fill: 'uniform', range: [low, high], seed: 0 }, [20_000]), 0));
    const width = high - low;
    expect(Math.min(...drawn)).toBeGreaterThanOrEqual(low);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(high);
    expect(Math.min(...drawn) - low).toBeLessThanOrEqual(width * 0.01);
    expect(high - Math.max(...drawn)).toBeLessThanOrEqual(width * 0.01);
    expect(drawn.every(Number.isInteger)).toBe(true);
  });

  it("draws ids by Zipf's law with exponent 1.05, scattered over the range", () => {
    const rows = 1000;
    const drawn = numbers(fillFeed(spec('int64', { fill: 'zipf', range: [10, 10 + rows - 1], seed: 0 }, [200_000]), 0));
    const counts = new Map<number, number>();
    for (const id of drawn) counts.set(id, (counts.get(id) ?? 0) + 1);
    const ranked = [...counts].sort(([, a], [, b]) => b - a);
    const total = Array.from({ length: rows }, (_, i) => (i + 1) ** -1.05).reduce((sum, weight) => sum + weight, 0);
    for (const rank of [1, 2, 3, 5, 10, 30]) {
      const expected = (200_000 * rank ** -1.05) / total;
      expect(Math.abs((ranked[rank - 1]?.[1] ?? 0) - expected)).toBeLessThan(5 * Math.sqrt(expected));
    }
    expect(min(drawn)).toBe(10);
    expect(max(drawn)).toBe(1009);
    expect(Math.abs((ranked[1]?.[0] ?? 0) - (ranked[0]?.[0] ?? 0))).toBeGreaterThan(50);
  });

  it.each([1, 2, 3])('draws zipf ids from a range of %d', (rows) => {
    const drawn = numbers(fillFeed(spec('int32', { fill: 'zipf', range: [0, rows - 1], seed: 0 }), 0));
    expect([...new Set(drawn)].sort()).toEqual([...Array(rows).keys()]);
  });

  it('draws zipf ids from a range wider than 32 bits', () => {
    const drawn = numbers(fillFeed(spec('int64', { fill: 'zipf', range: [0, 2 ** 40], seed: 0 }), 0));
    expect(Math.max(...drawn)).toBeGreaterThan(2 ** 32);
    expect(Math.max(...drawn)).toBeLessThanOrEqual(2 ** 40);
  });

  it.each<[string, FeedSpec['source'], unknown[]]>([
    ['float32', { fill: 'constant', value: 0.5, seed: 0 }, [0.5, 0.5]],
    ['float16', { fill: 'constant', value: 0.5, seed: 0 }, [0x3800, 0x3800]],
    ['int64', { fill: 'constant', value: -3, seed: 0 }, [-3n, -3n]],
    ['bool', { fill: 'constant', value: true, seed: 0 }, [1, 1]],
    ['string', { fill: 'constant', value: 'a', seed: 0 }, ['a', 'a']],
  ])('fills %s with a constant', (dtype, source, data) => {
    expect([...fillFeed(spec(dtype, source, [2]), 0).data]).toEqual(data);
  });

  it('fills booleans with both values, scalars with one and empty tensors with none', () => {
    const drawn = numbers(fillFeed(spec('bool', { fill: 'uniform', seed: 0 }, [1000]), 0));
    expect(mean(drawn)).toBeGreaterThan(0.4);
    expect(mean(drawn)).toBeLessThan(0.6);
    expect(fillFeed(spec('float32', { fill: 'normal', seed: 0 }, []), 0).data).toHaveLength(1);
    expect(fillFeed(spec('float32', { fill: 'normal', seed: 0 }, [0, 4]), 0).data).toHaveLength(0);
  });

  it('takes rows of a file in turn and starts over at its end', () => {
    const stored: Feed = { dtype: 'float32', dims: [3, 2], data: Float32Array.of(1, 2, 3, 4, 5, 6) };
    const given = spec('float32', { file: 'x.npy' }, [2, 2]);
    expect([0, 1, 2].map((index) => numbers(fillFeed(given, index, stored)))).toEqual([
      [1, 2, 3, 4],
      [5, 6, 1, 2],
      [3, 4, 5, 6],
    ]);
    expect(fillFeed(spec('float32', { file: 'x.npy' }, [3, 2]), 4, stored).data).toBe(stored.data);
    expect(() => fillFeed(given, 0)).toThrow('was not read');
  });

  it('gives onnxruntime plain objects', () => {
    const feed = fillFeed(spec('float16', { fill: 'constant', value: 1, seed: 0 }, [1]), 0);
    expect(toTensorLike(feed)).toEqual({ type: 'float16', dims: [1], location: 'cpu', data: Uint16Array.of(0x3c00) });
    expect(dataBytes(feed.data)).toBe(2);
    expect(dataBytes(['ab', ''])).toBe(4);
  });
});
