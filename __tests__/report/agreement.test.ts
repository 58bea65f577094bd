import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RefusedError } from '../../src/errors.ts';
import { renderComment } from '../../src/report/comment.ts';
import { renderReports } from '../../src/report/render-reports.ts';
import { tableModel } from '../../src/report/table-model.ts';
import { renderTerminal } from '../../src/report/terminal.ts';
import { OUTCOMES, STATUSES, type Verdict } from '../../src/verdict/verdict.ts';
import { buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { anyVerdict } from './verdict-arbitrary.ts';

const gatedWith = (verdict: Verdict, ...statuses: readonly string[]): boolean =>
  verdict.rows.some((row) => row.role === 'gated' && statuses.includes(row.status));

function contradicts(verdict: Verdict): boolean {
  if (verdict.outcome === 'fail') return !gatedWith(verdict, 'regressed');
  return verdict.outcome === 'pass' && gatedWith(verdict, 'regressed', 'missing', 'invalid', 'incomparable');
}

const consistent = anyVerdict.filter((verdict) => !contradicts(verdict));

describe('headline and rows (case G19)', () => {
  it.each(OUTCOMES.flatMap((outcome) => STATUSES.map((status) => [outcome, status] as const)))(
    'agree for %s over a gated row that is %s, or nothing is rendered',
    (outcome, status) => {
      const verdict = buildVerdict([buildRow({ status })], { outcome });
      if (contradicts(verdict)) {
        expect(() => renderComment(verdict)).toThrow(RefusedError);
        return;
      }
      const [title = '', ...body] = renderComment(verdict).split('\n');
      expect(title.includes('✅')).toBe(outcome === 'pass');
      expect(title.includes('❌')).toBe(outcome === 'fail');
      expect(body.join('\n').includes('❌')).toBe(status === 'regressed');
    },
  );

  it('agree for any outcome over any rows, or nothing is rendered', () => {
    fc.assert(
      fc.property(anyVerdict, (verdict) => {
        if (contradicts(verdict)) {
          expect(() => renderReports(verdict)).toThrow(RefusedError);
          expect(() => renderTerminal(verdict)).toThrow(RefusedError);
          return;
        }
        const [title = '', ...body] = renderComment(verdict).split('\n');
        const table = body.join('\n');
        if (title.includes('✅')) expect(table).not.toContain('❌');
        expect(table.includes('❌')).toBe(gatedWith(verdict, 'regressed'));
        const word = { pass: 'PASS', fail: 'FAIL', 'no-verdict': 'NO VERDICT', refused: 'REFUSED' }[verdict.outcome];
        expect(renderTerminal(verdict).startsWith(word)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('show every row exactly once, failed ones first', () => {
    fc.assert(
      fc.property(consistent, (verdict) => {
        const { visible, folded } = tableModel(verdict);
        const rows = [...visible, ...folded].map((view) => view.row);
        expect(rows).toHaveLength(verdict.rows.length);
        expect(new Set(rows)).toEqual(new Set(verdict.rows));
        const failed = visible.map((view) => view.kind === 'regressed');
        expect(failed.lastIndexOf(true)).toBe(failed.filter(Boolean).length - 1);
        expect(folded.every((view) => ['within', 'shown', 'new'].includes(view.kind))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('say slower, faster, worse, better or improved only where it is proven', () => {
    const neutral = consistent.filter((verdict) =>
      verdict.rows.every((row) => row.status !== 'improved' && row.status !== 'regressed'),
    );
    fc.assert(
      fc.property(neutral, (verdict) => {
        const { comment, summary, annotations, headline } = renderReports(verdict);
        const said = [comment, summary, headline, JSON.stringify(annotations), renderTerminal(verdict)].join('\n');
        expect(said).not.toMatch(/slow|fast|improv|worse|better|degrad|regress/i);
      }),
      { numRuns: 300 },
    );
  });

  it('come out the same for the same verdict whatever the order of its rows', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30), { minLength: 2, maxLength: 8 }), (numbers) => {
        const rows = numbers.map((number) =>
          buildRow({ case: `m${number}/cpu/b1/c1`, status: 'regressed', change: 0.05 + number / 100 }),
        );
        const reversed = buildVerdict([...rows].reverse(), { outcome: 'fail' });
        expect(renderComment(reversed)).toBe(renderComment(buildVerdict(rows, { outcome: 'fail' })));
      }),
    );
  });
});
