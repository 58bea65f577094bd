import { describe, expect, it } from '@jest/globals';
import { seededNormal } from '../compare/random-normal.ts';
import { fileText, judgeTexts, rowOf } from './measurement-text.ts';

type Values = Record<string, number>;

/** Codes of the warnings of a row, for restarts given by index. */
function warningsOf(
  metric: string,
  count: number,
  base: (i: number) => Values,
  head: (i: number) => Values,
  notes: (i: number) => string[] = () => [],
): string[] {
  const arm = (values: (i: number) => Values) => ({
    entry: {
      restarts: Array.from({ length: count }, (_, index) => ({
        index,
        valid: true,
        notes: notes(index),
        values: values(index),
      })),
    },
  });
  const verdict = judgeTexts(fileText('base', { cases: [arm(base)] }), fileText('head', { cases: [arm(head)] }));
  return rowOf(verdict, metric).warnings.map((warning) => warning.code);
}

const p50 = (value: number): Values => ({ 'latency.p50': value });

describe('warnings of a row', () => {
  it('are none where nothing is odd', () => {
    const normal = seededNormal(11);
    const values = Array.from({ length: 82 }, () => Math.exp(0.01 * normal()));
    expect(
      warningsOf(
        'latency.p50',
        41,
        (i) => p50(values[i] ?? 1),
        (i) => p50(values[i + 41] ?? 1),
      ),
    ).toEqual([]);
  });

  it('name process modes', () => {
    const normal = seededNormal(12);
    const draw = Array.from({ length: 13 }, (_, i) => (i % 3 === 0 ? 1.06 : 1) * Math.exp(0.001 * normal()));
    expect(
      warningsOf(
        'latency.p50',
        13,
        (i) => p50(draw[i] ?? 1),
        () => p50(1),
      ),
    ).toContain('bimodal-restarts');
  });

  it('name restarts that depend on each other', () => {
    expect(
      warningsOf(
        'latency.p50',
        19,
        () => p50(1),
        (i) => p50(1 + 0.01 * Math.sin(i / 3)),
      ),
    ).toContain('autocorrelated-restarts');
  });

  it('name a clock that ticks coarsely', () => {
    expect(
      warningsOf(
        'latency.p50',
        9,
        (i) => p50(0.05 + 0.001 * (i % 2)),
        (i) => p50(0.05 + 0.001 * (i % 3 === 0 ? 1 : 0)),
      ),
    ).toContain('coarse-timer');
  });

  it('name a tail that varies more than its margin', () => {
    const tail = (value: number): Values => ({ 'latency.p95': value });
    const normal = seededNormal(13);
    const draw = Array.from({ length: 13 }, () => Math.exp(0.12 * normal()));
    expect(
      warningsOf(
        'latency.p95',
        13,
        () => tail(1),
        (i) => tail(draw[i] ?? 1),
      ),
    ).toContain('noisy-tail');
  });

  it('name a case whose time is mostly call overhead', () => {
    const arm = (i: number): Values => ({ 'latency.p50': 1 + i / 1e4, 'floor.share': 0.5 });
    expect(warningsOf('latency.p50', 6, arm, arm)).toContain('host-bound');
    const light = (i: number): Values => ({ 'latency.p50': 1 + i / 1e4, 'floor.share': 0.1 });
    expect(warningsOf('latency.p50', 6, light, light)).not.toContain('host-bound');
  });

  it('name an effect of the start order', () => {
    const order = (i: number) => [i % 2 === 0 ? 'loaded first' : 'loaded second'];
    const codes = warningsOf(
      'latency.p50',
      19,
      (i) => p50(1 + i / 1e5),
      (i) => p50(i % 2 === 0 ? 1.01 : 0.99),
      order,
    );
    expect(codes).toContain('order-effect');
  });
});
