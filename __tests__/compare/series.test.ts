import { describe, expect, it } from '@jest/globals';
import { seriesOf } from '../../src/compare/series.ts';

describe('seriesOf', () => {
  it('takes as many values as a file may hold', () => {
    const restart = {
      index: 0,
      valid: true,
      notes: [],
      values: { errors: 0 },
      rounds: { errors: Array(1000).fill(0) },
    };
    const pairs = Array.from({ length: 200 }, () => ({ base: restart, head: restart }));
    const series = seriesOf(pairs, { id: 'errors', unit: 'count', better: 'lower' });
    expect(series).toMatchObject({ scale: 'difference', negligible: 0 });
  });
});
