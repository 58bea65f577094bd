import { describe, expect, it } from '@jest/globals';
import { RefusedError } from '../../src/errors.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { fileText, judgeCase, judgeTexts, restartsOf, rowOf } from './measurement-text.ts';

const COUNT = { errors: { unit: 'count', better: 'lower', definition: 'errors@1' } };
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

describe('numbers that broke other gates', () => {
  it('N1: zero errors in both arms pass, one error in each head run fails, shown without a percentage', () => {
    const base = { metrics: COUNT, restarts: times(8, { errors: 0 }) };
    const same = judgeCase(base, { metrics: COUNT, restarts: times(8, { errors: 0 }) });
    expect([same.outcome, rowOf(same, 'errors').status]).toEqual(['pass', 'pass']);
    const worse = judgeCase(base, { metrics: COUNT, restarts: times(8, { errors: 1 }) });
    const row = rowOf(worse, 'errors');
    expect([worse.outcome, row.status, row.change, row.margin]).toEqual(['fail', 'regressed', null, null]);
    expect(row.reason).toMatch(/n\/a, from 0 to 1/);
  });

  it('N1: exactly the floor is within it', () => {
    const config = { metrics: { errors: { margin: { percent: 3, floor: { value: 1, unit: 'count' as const } } } } };
    const base = { metrics: COUNT, restarts: times(8, { errors: 0 }) };
    expect(judgeCase(base, { metrics: COUNT, restarts: times(8, { errors: 1 }) }, config).outcome).toBe('pass');
    expect(judgeCase(base, { metrics: COUNT, restarts: times(8, { errors: 2 }) }, config).outcome).toBe('fail');
  });

  it('N2: one metric with a base of zero leaves the others judged as usual', () => {
    const ids = Array.from({ length: 20 }, (_, i) => `m${i}`);
    const metrics = Object.fromEntries(ids.map((id) => [id, { unit: 'count', better: 'lower', definition: 'm@1' }]));
    const values = (zero: number) => Object.fromEntries(ids.map((id, i) => [id, i === 0 ? zero : 100 + i]));
    const verdict = judgeCase({ metrics, restarts: times(9, values(0)) }, { metrics, restarts: times(9, values(0)) });
    expect(verdict.counts).toEqual({ pass: 20 });
    expect(verdict.rows.filter((row) => row.change === 0)).toHaveLength(19);
  });

  it('N3: a null value is refused with its place', () => {
    const text = fileText('head', { cases: [{ restarts: [{ accuracy: 1 }] }] }).replace(
      '"accuracy":1',
      '"accuracy":null',
    );
    expect(() => parseMeasurement(text, 'head.json')).toThrow(
      /^head\.json: entries\[0\]\.restarts\[0\]\.values\.accuracy: .*received null/,
    );
  });

  it.each(['NaN', 'Infinity', '-Infinity', '1e999'])('N4: the token %s is refused with its path', (token) => {
    const text = fileText('head', { cases: [{ restarts: [{ 'latency.p50': 1 }] }] }).replace(':1}', `:${token}}`);
    expect(() => parseMeasurement(text, 'head.json')).toThrow(
      new RefusedError(
        `head.json: entries[0].restarts[0].values["latency.p50"] is ${token}, which is no finite number: repair what wrote it`,
      ),
    );
  });

  it('N5: from 1e-12 to 5 fails', () => {
    const verdict = judgeCase(
      { restarts: times(7, { 'latency.p50': 1e-12 }) },
      { restarts: times(7, { 'latency.p50': 5 }) },
    );
    expect(verdict.outcome).toBe('fail');
  });

  it('N6: a negative time makes its row invalid, with the value named', () => {
    const restarts = restartsOf('latency.p50', 1, 9);
    const verdict = judgeCase({ restarts }, { restarts: [...restarts.slice(0, 8), { 'latency.p50': -3e-6 }] });
    expect(verdict.outcome).toBe('no-verdict');
    expect(rowOf(verdict, 'latency.p50')).toMatchObject({
      status: 'invalid',
      reason: expect.stringContaining('-0.000003 ms'),
    });
  });

  it('N7: 990 ns to 1.1 us is +11 %', () => {
    const base = { metrics: { 'latency.p50': { unit: 'ns' } }, restarts: restartsOf('latency.p50', 990, 9) };
    const head = { metrics: { 'latency.p50': { unit: 'us' } }, restarts: restartsOf('latency.p50', 1.1, 9) };
    expect(rowOf(judgeCase(base, head), 'latency.p50').change).toBeCloseTo(0.1111, 3);
  });

  it('N10: a metric outside the table without a direction is refused', () => {
    const text = fileText('head', { cases: [{ metrics: { tpot: { unit: 'ms' } }, restarts: [{ tpot: 1 }] }] });
    expect(() => parseMeasurement(text, 'head.json')).toThrow(/metrics\["tpot"\].*does not state better, definition/);
  });

  it('N11: 20 % faster passes, shown as improved with the advice to accept a new baseline', () => {
    const verdict = judgeCase(
      { restarts: restartsOf('latency.p50', 10, 9) },
      { restarts: restartsOf('latency.p50', 8, 9, 0.003) },
    );
    const row = rowOf(verdict, 'latency.p50');
    expect([verdict.outcome, row.status]).toEqual(['pass', 'improved']);
    expect(row.reason).toMatch(/faster by −20 %.*accept a new baseline/);
  });

  it('N12: 3 % of base is an implausible improvement', () => {
    const verdict = judgeCase(
      { restarts: restartsOf('latency.p50', 10, 9) },
      { restarts: restartsOf('latency.p50', 0.3, 9) },
    );
    expect(verdict.outcome).toBe('no-verdict');
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(/implausible improvement.*may not have run/);
  });

  it('N14: thirty identical base values and a head 50 % slower fail', () => {
    const verdict = judgeCase(
      { restarts: times(30, { 'latency.p50': 2 }) },
      { restarts: times(30, { 'latency.p50': 3 }) },
    );
    expect([verdict.outcome, rowOf(verdict, 'latency.p50').restarts]).toEqual(['fail', 6]);
  });

  it('N15: ten against ten, fully separated, fail', () => {
    const base = Array.from({ length: 10 }, (_, i) => ({ 'latency.p50': 1 + i / 100 }));
    const head = Array.from({ length: 10 }, (_, i) => ({ 'latency.p50': 2 + i / 100 }));
    expect(judgeCase({ restarts: base }, { restarts: head }).outcome).toBe('fail');
  });

  it.each([1, 2, 5])('N16: %d trial(s) an arm never pass', (count) => {
    const restarts = restartsOf('latency.p50', 1, count);
    const verdict = judgeCase({ restarts }, { restarts });
    expect(verdict.outcome).toBe('no-verdict');
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(`too few restarts: ${count} of at least 6`);
  });

  it('N17: a max-increase is a limit of its own beside a wide margin', () => {
    const base = { restarts: restartsOf('latency.p50', 50, 9) };
    const head = { restarts: restartsOf('latency.p50', 74, 9) };
    const limits = { margin: 0.5, 'max-increase': { value: 10, unit: 'ms' as const } };
    const verdict = judgeCase(base, head, { metrics: { 'latency.p50': limits } });
    expect(verdict.outcome).toBe('fail');
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(/beyond the max-increase of 10 ms/);
    expect(judgeCase(base, head, { metrics: { 'latency.p50': { margin: 0.5 } } }).outcome).toBe('pass');
  });

  it('N4: a token inside a name is no number', () => {
    const id = 'NaN/cpu/b1/c1';
    const text = fileText('head', { cases: [{ id, restarts: restartsOf('latency.p50', 1, 6) }] });
    const base = fileText('base', { cases: [{ id, restarts: restartsOf('latency.p50', 1, 6) }] });
    expect(judgeTexts(base, text).outcome).toBe('pass');
  });
});
