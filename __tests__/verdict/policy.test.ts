import { describe, expect, it } from '@jest/globals';
import type { GateConfig } from '../../src/inputs/gate-config.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { judge } from '../../src/verdict/judge.ts';
import { judgeChange } from '../../src/verdict/judge-change.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { fileText, judgeTexts, restartsOf, rowOf } from './measurement-text.ts';

const one = (center: number, count = 9, id = 'ranker/cpu/b8/c1') => ({
  id,
  restarts: restartsOf('latency.p50', center, count),
});
const files = (head: number, count = 9) =>
  [fileText('base', { cases: [one(1, count)] }), fileText('head', { cases: [one(head, count)] })] as const;
const waiver = (ceiling: number, until = '2027-01-31') => ({
  model: 'ranker',
  metric: 'latency.p50',
  ceiling,
  until,
  reason: 'embedding dim doubled',
});
const judged = (head: number, config: Partial<GateConfig>, today = '2026-12-01') =>
  judgeTexts(...files(head), config, today);
const codes = (verdict: Verdict) => verdict.notes.map((note) => note.code);

describe('waivers', () => {
  it('let a row through up to their ceiling, with the reason', () => {
    const verdict = judged(1.08, { waivers: [waiver(0.09)] });
    expect([verdict.outcome, verdict.counts]).toEqual(['pass', { waived: 1 }]);
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(
      /within the waived 9 % \(waived until 2027-01-31: embedding dim doubled\)/,
    );
  });

  it('do not let a row through beyond their ceiling', () => {
    const verdict = judged(1.15, { waivers: [waiver(0.09)] });
    expect(verdict.outcome).toBe('fail');
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(/beyond the waiver's ceiling of 9 %/);
  });

  it('G17: fail again the day after they expire, and say so', () => {
    expect(judged(1.08, { waivers: [waiver(0.15, '2026-12-01')] }, '2026-12-01').outcome).toBe('pass');
    const verdict = judged(1.08, { waivers: [waiver(0.15, '2026-12-01')] }, '2026-12-02');
    expect(verdict.outcome).toBe('fail');
    expect(rowOf(verdict, 'latency.p50').reason).toMatch(/waiver expired on 2026-12-01/);
    expect(verdict.notes).toContainEqual({
      code: 'waiver-expired',
      text: 'waiver of ranker latency.p50: waiver expired on 2026-12-01, ignored',
      headline: true,
    });
  });

  it.each([
    ['is not needed', 1, waiver(0.09), 'waiver-unneeded'],
    ['names a metric that was not measured', 1, { ...waiver(0.09), metric: 'latency.p51' }, 'waiver-unused'],
    ['allows far more than was seen', 1.08, waiver(0.5), 'waiver-too-wide'],
    ['is narrower than the margin', 1, waiver(0.01), 'waiver-below-margin'],
  ])('that %s become a note', (_, head, entry, code) => {
    expect(codes(judged(head, { waivers: [entry] }))).toContain(code);
  });

  it('of a model that was not measured this time are no news, unless the config has no such model', () => {
    const other = { ...waiver(0.09), model: 'other' };
    expect(codes(judged(1, { waivers: [other] }))).toEqual([]);
    expect(codes(judged(1, { waivers: [other], models: [{ id: 'ranker', path: 'r.onnx' }] }))).toEqual([
      'waiver-unused',
    ]);
  });

  it('lower nothing: a ceiling below the margin is ignored', () => {
    expect(judged(1.02, { waivers: [waiver(0.01)] }).outcome).toBe('pass');
  });

  it('of one case leave the others alone', () => {
    const ids = ['ranker/cpu/b1/c1', 'ranker/cpu/b8/c1'];
    const verdict = judgeTexts(
      fileText('base', { cases: ids.map((id) => one(1, 13, id)) }),
      fileText('head', { cases: ids.map((id) => one(1.08, 13, id)) }),
      { waivers: [{ ...waiver(0.09), case: 'ranker/cpu/b8/c1' }] },
    );
    expect(verdict.rows.map((row) => row.status)).toEqual(['regressed', 'waived']);
  });

  it('do not waive limits', () => {
    const max = { 'latency.p50': { max: { value: 1.05, unit: 'ms' as const } } };
    expect(judged(1.08, { waivers: [waiver(0.09)], metrics: max }).outcome).toBe('fail');
  });
});

describe('a policy edited by the change itself', () => {
  const [base, head] = files(1.08);
  const request = { base: parseMeasurement(base, 'base'), head: parseMeasurement(head, 'head'), today: '2026-12-01' };
  const strict: GateConfig = { version: 1 };
  const loose: GateConfig = { version: 1, metrics: { 'latency.p50': { margin: 0.1 } } };

  it('is judged under both, and a pass under the new one alone is said first', () => {
    const verdict = judgeChange({ ...request, inForce: loose, beforeChange: strict });
    expect(verdict.outcome).toBe('pass');
    expect(verdict.notes[0]).toMatchObject({
      headline: true,
      code: 'pass-under-changed-policy',
      text: expect.stringMatching(/^pass under the policy changed here.*fail/),
    });
    expect(verdict.notes[1]?.text).toMatch(/ranker\/cpu\/b8\/c1 latency\.p50 regressed \(gated\), now pass \(gated\)/);
  });

  it('fails under the new one where that is stricter', () => {
    const verdict = judgeChange({ ...request, inForce: strict, beforeChange: loose });
    expect([verdict.outcome, codes(verdict)]).toEqual(['fail', ['policy-changed', 'rows-under-other-policy']]);
  });

  it('is judged once where base has the same', () => {
    expect(codes(judgeChange({ ...request, inForce: loose, beforeChange: null }))).toEqual([]);
  });
});

describe('creep on a pull request', () => {
  const verdict = (ownHead: number, creepRule: string) => {
    const creep = (value: number) => ({ ...one(value, 13), entry: { comparison: 'creep' } });
    const manifest = { seed: 's', k: 2, looks: [6, 9, 13, 19, 28, 41], rows: [], creepRule };
    return judgeTexts(
      fileText('base', { cases: [one(1, 13), creep(1)] }),
      fileText('head', { cases: [one(ownHead, 13), creep(1.08)], manifest }),
    );
  };

  it('blames only a change that is worse itself', () => {
    expect(verdict(1, 'if-own-change-worse').outcome).toBe('pass');
    expect(verdict(1.02, 'if-own-change-worse').outcome).toBe('fail');
    expect(verdict(1, 'always').outcome).toBe('fail');
  });

  it('has the creep margin', () => {
    expect(verdict(1, 'always').rows.map((row) => [row.comparison, row.margin])).toEqual([
      ['paired', 0.03],
      ['creep', 0.05],
    ]);
  });
});

describe('rows judged against stored sessions', () => {
  const head = parseMeasurement(fileText('head', { cases: [one(1)] }), 'head');
  const row = rowOf(judgeTexts(null, fileText('head', { cases: [one(1)] })), 'latency.p50');
  const stored = (role: 'gated' | 'advisory') => ({
    ...row,
    comparison: 'stored' as const,
    role,
    status: 'pass' as const,
  });
  const judgedWith = (role: 'gated' | 'advisory') =>
    judge({ base: null, head, config: { version: 1 }, today: '2026-12-01', storedRows: [stored(role)] });

  it('take the place of a row without a base where they are gated', () => {
    expect([judgedWith('gated').outcome, judgedWith('gated').counts]).toEqual(['pass', { pass: 1 }]);
  });

  it('are shown beside it where they are advice', () => {
    expect([judgedWith('advisory').outcome, judgedWith('advisory').rows.length]).toEqual(['no-verdict', 2]);
  });
});
