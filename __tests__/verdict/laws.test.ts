import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Row, Status, Verdict } from '../../src/verdict/verdict.ts';
import { verdictToJson } from '../../src/verdict/verdict-json.ts';
import { fileText, judgeTexts, rowOf } from './measurement-text.ts';

const noise = fc.double({ min: -0.05, max: 0.05, noNaN: true });
const logs = fc.array(fc.tuple(noise, noise), { minLength: 6, maxLength: 20 });

/** One case whose restarts are exp of the given logs, head's shifted by `shift`, in `unit`. */
function judgeLogs(pairs: readonly (readonly [number, number])[], shift: number, unit = 'ms', scale = 1): Verdict {
  const arm = (values: readonly number[]) => [
    {
      metrics: { 'latency.p50': { unit } },
      restarts: values.map((value) => ({ 'latency.p50': scale * Math.exp(value) })),
    },
  ];
  return judgeTexts(
    fileText('base', { cases: arm(pairs.map(([base]) => base)) }),
    fileText('head', { cases: arm(pairs.map(([, head]) => head + shift)) }),
  );
}

const SEVERITY: Partial<Record<Status, number>> = { improved: 0, pass: 1, inconclusive: 2, regressed: 3 };
const severityOf = (verdict: Verdict): number => SEVERITY[rowOf(verdict, 'latency.p50').status] ?? Number.NaN;

describe('laws of the verdict', () => {
  it('does not depend on the unit or the size of the values', () => {
    fc.assert(
      fc.property(logs, fc.constantFrom(-0.2, 0, 0.02, 0.1), (pairs, shift) => {
        const [ms, us, large] = [
          rowOf(judgeLogs(pairs, shift), 'latency.p50'),
          rowOf(judgeLogs(pairs, shift, 'us', 1000), 'latency.p50'),
          rowOf(judgeLogs(pairs, shift, 'ms', 37), 'latency.p50'),
        ];
        for (const other of [us, large]) {
          expect([other.status, other.restarts, other.proven]).toEqual([ms.status, ms.restarts, ms.proven]);
          expect(other.change).toBeCloseTo(ms.change ?? Number.NaN, 8);
        }
      }),
    );
  });

  it('is mirrored when the arms are swapped', () => {
    fc.assert(
      fc.property(logs, fc.constantFrom(0, 0.04, 0.2), (pairs, shift) => {
        const swapped = pairs.map(([base, head]) => [head, base] as const);
        const [there, back] = [
          rowOf(judgeLogs(pairs, shift), 'latency.p50'),
          rowOf(judgeLogs(swapped, -shift), 'latency.p50'),
        ];
        if (there.restarts !== back.restarts) return;
        expect(1 + (there.change ?? 0)).toBeCloseTo(1 / (1 + (back.change ?? 0)), 7);
        expect(there.proven).toBe(back.proven === null ? null : back.proven === 'worse' ? 'better' : 'worse');
      }),
    );
  });

  it('never gets better when head gets worse in every restart', () => {
    fc.assert(
      fc.property(
        logs,
        fc.double({ min: -0.15, max: 0.15, noNaN: true }),
        fc.double({ min: 0, max: 0.2, noNaN: true }),
        (pairs, shift, more) => {
          expect(severityOf(judgeLogs(pairs, shift + more))).toBeGreaterThanOrEqual(
            severityOf(judgeLogs(pairs, shift)),
          );
        },
      ),
    );
  });

  it('depends on the files alone: the same bytes from the same files, whatever the order of entries', () => {
    fc.assert(
      fc.property(logs, (pairs) => {
        const cases = ['b/cpu/b8/c1', 'a/cpu/b32/c1', 'a/cpu/b8/c1'].map((id) => ({
          id,
          restarts: pairs.map(([value]) => ({ 'latency.p50': Math.exp(value), 'memory.host.peak': 1e8 })),
        }));
        const text = (order: typeof cases) => {
          const verdict = judgeTexts(fileText('base', { cases }), fileText('head', { cases: order }));
          return verdictToJson(verdict);
        };
        expect(text([...cases].reverse())).toBe(text(cases));
        expect(JSON.parse(text(cases)).rows.map((row: Row) => row.case)[0]).toBe('a/cpu/b8/c1');
      }),
      { numRuns: 20 },
    );
  });
});

const anyFinite = fc.double({ noNaN: true, noDefaultInfinity: true });
const value = fc.oneof(
  anyFinite,
  fc.constantFrom(0, 1, 1e-308, 1e308, -1),
  fc.double({ min: 0.5, max: 2, noNaN: true }),
);
const METRICS = ['latency.p50', 'throughput', 'memory.host.peak', 'errors', 'latency.mean'];
const restart = fc.record({
  valid: fc.boolean(),
  values: fc.dictionary(fc.constantFrom(...METRICS), value),
  rounds: fc.dictionary(fc.constantFrom(...METRICS), fc.array(value, { maxLength: 3 })),
});

describe('any finite input', () => {
  it('is judged without throwing, and never passes with fewer than six restarts', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(restart, restart), { maxLength: 8 }), fc.boolean(), (pairs, areValid) => {
        const arm = (name: 'base' | 'head', side: 0 | 1) =>
          parseMeasurement(
            fileText(name, {
              cases: [
                {
                  metrics: { errors: { unit: 'count', better: 'lower', definition: 'e@1' } },
                  entry: {
                    restarts: pairs.map((pair, index) => ({
                      index,
                      notes: [],
                      ...pair[side],
                      valid: areValid || pair[side].valid,
                    })),
                  },
                },
              ],
            }),
            `${name}.json`,
          );
        const verdict = judge({
          base: arm('base', 0),
          head: arm('head', 1),
          config: {
            version: 1,
            metrics: { throughput: { gate: true }, 'latency.p50': { max: { value: 1, unit: 'ms' } } },
          },
          today: '2026-12-01',
        });
        expect(verdictToJson(verdict)).toContain(verdict.outcome);
        const valid = pairs.filter(([base, head]) => areValid || (base.valid && head.valid)).length;
        if (valid < 6) expect(verdict.rows.filter((row) => ['pass', 'improved'].includes(row.status))).toEqual([]);
        if (valid < 6) expect(verdict.outcome).not.toBe('pass');
      }),
      { numRuns: 300 },
    );
  });
});
