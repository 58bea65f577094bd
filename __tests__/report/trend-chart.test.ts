import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { trendChart } from '../../src/report/trend-chart.ts';

const chart = (values: readonly number[], title = 'ranker cuda b32 · latency p50'): string | null =>
  trendChart({ title, unit: 'ms', points: values.map((value, at) => ({ at: `11-${10 + at}`, value })) });

describe('trend chart', () => {
  it('draws the sessions as a Mermaid chart', () => {
    expect(chart([4.02, 4.03, 4.01])).toMatchInlineSnapshot(`
"xychart-beta
  title "ranker cuda b32 · latency p50"
  x-axis ["11-10", "11-11", "11-12"]
  y-axis "ms" 4.0060 --> 4.0340
  line [4.0200, 4.0300, 4.0100]"
`);
  });

  it('needs two points and leaves out what is no number', () => {
    expect(chart([4.02])).toBeNull();
    expect(chart([4.02, Number.NaN])).toBeNull();
  });

  it('shows the last 30 sessions', () => {
    expect(chart(Array.from({ length: 50 }, (_, at) => at))?.match(/"11-/g)).toHaveLength(30);
  });

  it('writes plain decimals and lets no name out of its quotes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e12, max: 1e12, noNaN: true }), { minLength: 2, maxLength: 5 }),
        fc.string({ unit: 'binary' }),
        (values, title) => {
          const lines = chart(values, title)?.split('\n') ?? [];
          expect(lines).toHaveLength(5);
          expect(lines[1]).toMatch(/^ {2}title "[A-Za-z0-9 ._/·-]*"$/);
          expect(lines[4]).toMatch(/^ {2}line \[-?\d+(\.\d+)?(, -?\d+(\.\d+)?)*\]$/);
          const [, low, high] = /"ms" (-?[\d.]+) --> (-?[\d.]+)$/.exec(lines[3] ?? '') ?? [];
          expect(Number(low)).toBeLessThanOrEqual(Number(high));
        },
      ),
    );
  });
});
