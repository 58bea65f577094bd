import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import stripAnsi from 'strip-ansi';
import { parse } from 'yaml';
import { renderTerminal } from '../../src/report/terminal.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { hostileVerdict, largeVerdict } from './hard-verdicts.ts';
import { HOSTILE_CASES } from './hostile-texts.ts';

const tableOf = (text: string): readonly string[] => text.split('\n').filter((line) => /^[✗?!✓] /.test(line));

describe('terminal text', () => {
  it('begins with outcome, worst row and next step', () => {
    expect(renderTerminal(buildRegression(), { attempts: ['no-verdict'] })).toMatchInlineSnapshot(`
"FAIL  1 regression in 4 checks
ranker · cuda · batch 32: latency p50 +8.1 % (4.02 → 4.35 ms; at least +6.9 %, allowed 3 %)
Next: look closer with model-gate run --base def5678def56, or waive or accept it with a reason (shown below).
attempt 2; earlier: no verdict

  check                              base      head  change                 allowed  could see
✗ ranker cuda b32 · latency p50   4.02 ms   4.35 ms  +8.1 %  (+6.9 … +9.3)      3 %      1.2 %  regressed
? ranker cuda b32 · latency p95   4.40 ms   4.71 ms  +7.0 %  (+3.1 … +9.9)      5 %      1.2 %  not yet proven
  ranker cuda b32 · throughput   7,960 /s  7,370 /s  −7.4 %  (−8.5 … −6.2)        –      1.2 %  shown
✓ ranker cuda b32 · GPU memory   1.21 GiB  1.21 GiB     0 %                     2 %      1.2 %  within
✓ ranker cuda b1 · latency p50    1.31 ms   1.31 ms  +0.1 %  (−0.4 … +0.8)      3 %      1.2 %  within

Why
  ranker cuda b32 · latency p50: proven beyond 3 % in 13 restarts
  ranker cuda b32 · latency p95: slower, not yet proven among 3 rows

Waive in .github/model-gate.yml
  waivers:
    - model: ranker
      metric: latency.p50
      case: ranker/cuda/b32/c1
      ceiling: 10%
      until: YYYY-MM-DD
      reason: why this is acceptable
Or accept head as the baseline: model-gate baseline accept --reason "why this is fine"

NVIDIA L4, driver 580; both arms taking turns; 6 to 13 restarts; 2 min 41 s; could see changes of 1.2 % and more
head abc1234 · base def5678
"
`);
  });

  it('takes two lines a row where the screen is narrow', () => {
    expect(
      renderTerminal(buildRegression(), {}, { width: 60, colour: 'none' }).split('\n').slice(4, 11),
    ).toMatchInlineSnapshot(`
[
  "✗ ranker cuda b32 · latency p50",
  "  4.02 → 4.35 ms, +8.1 % (+6.9 … +9.3), allowed 3 %, regressed",
  "? ranker cuda b32 · latency p95",
  "  4.40 → 4.71 ms, +7.0 % (+3.1 … +9.9), allowed 5 %, not yet proven",
  "  ranker cuda b32 · throughput",
  "  7,960 → 7,370 /s, −7.4 % (−8.5 … −6.2), shown",
  "✓ ranker cuda b32 · GPU memory",
]
`);
  });

  it('says first that the gate is not enforced', () => {
    expect(renderTerminal(buildRegression(), { enforced: false }).startsWith('not enforced: FAIL  1 regression')).toBe(
      true,
    );
  });

  it('says first why a step succeeds without a pass', () => {
    const verdict = buildVerdict([buildRow({ status: 'inconclusive' })], { outcome: 'no-verdict' });
    const text = renderTerminal(verdict, { remark: 'accepted by on-no-verdict: pass' });
    expect(text.startsWith('accepted by on-no-verdict: pass: NO VERDICT  1 of 1 check')).toBe(true);
  });

  it('keeps table lines within the screen and columns aligned, wide characters included', () => {
    const name = fc
      .array(fc.constantFrom('a', 'Z', '-', '模', '型', 'é', '😀'), { minLength: 1, maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), fc.integer({ min: 40, max: 200 }), (names, width) => {
        const rows = names.map((model) => buildRow({ case: `${model}/cuda/b1/c1` }));
        const lines = tableOf(renderTerminal(buildVerdict(rows), {}, { width, colour: 'none' }));
        expect(lines).toHaveLength(rows.length);
        for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(width);
        const ends = lines.filter((line) => line.endsWith('within')).map((line) => stringWidth(line));
        expect(new Set(ends).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 200 },
    );
  });

  it('is the same text with colours, each reset before the line ends', () => {
    const coloured = renderTerminal(buildRegression(), {}, { width: 120, colour: 'ansi' });
    expect(coloured).toContain('\u001b[31mFAIL\u001b[39m');
    expect(stripAnsi(coloured)).toBe(renderTerminal(buildRegression(), {}, { width: 120, colour: 'none' }));
    for (const line of coloured.split('\n')) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control sequences
      const codes = [...line.matchAll(/\u001b\[(\d+)m/g)].map((match) => Number(match[1]));
      const on = codes.filter((code) => code < 22 || (code > 29 && code < 39)).length;
      expect(codes).toHaveLength(2 * on);
    }
  });

  it('has no colour for a pipe', () => {
    expect(renderTerminal(buildRegression())).not.toContain('\u001b');
  });

  it('prints waivers that can be pasted', () => {
    const lines = renderTerminal(buildRegression(), { waiveUntil: '2027-01-31' }).split('\n');
    const start = lines.indexOf('  waivers:');
    expect(parse(lines.slice(start, start + 7).join('\n')).waivers[0]).toMatchObject({
      model: 'ranker',
      ceiling: '10%',
    });
  });

  it('keeps the worst rows of very many and says how many more there are', () => {
    const text = renderTerminal(largeVerdict(5000));
    expect(text.split('\n').length).toBeLessThan(200);
    expect(text).toContain('… and 4940 more rows in the verdict file');
    expect(tableOf(text)[0]).toContain('model-4990');
  });

  it.each(HOSTILE_CASES)('holds no control sequence and no workflow command of %s', (_, text) => {
    const shown = renderTerminal(hostileVerdict(text), { configPath: text, modelPaths: { [text]: text } });
    expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(shown).not.toMatch(/::|##\[/);
  });
});
