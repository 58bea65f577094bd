import { describe, expect, it } from '@jest/globals';
import { cancelledPublication, concludeStep, publicationOf, type StepPolicy } from '../../src/publish/publication.ts';
import { statusOf } from '../../src/publish/status.ts';
import { renderReports } from '../../src/report/render-reports.ts';
import type { Status, Verdict } from '../../src/verdict/verdict.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';

const STRICT: StepPolicy = { enforce: true, 'on-no-verdict': 'fail' };
const LENIENT: StepPolicy = { enforce: true, 'on-no-verdict': 'pass' };
const WATCHING: StepPolicy = { enforce: false, 'on-no-verdict': 'fail' };

function undecided(...statuses: readonly Status[]): Verdict {
  return buildVerdict(
    statuses.map((status) => buildRow({ status })),
    { outcome: 'no-verdict' },
  );
}

const PASS = buildVerdict([buildRow()]);
const REFUSED = buildVerdict([], { outcome: 'refused', notes: [{ code: 'x', text: 'unknown key' }] });

describe('the end of the step', () => {
  it.each<[string, Verdict, StepPolicy, number, string]>([
    ['pass', PASS, STRICT, 0, 'success'],
    ['fail', buildRegression(), STRICT, 1, 'failure'],
    ['no verdict', undecided('inconclusive'), STRICT, 2, 'error'],
    ['refused', REFUSED, STRICT, 3, 'error'],
    ['fail, not enforced', buildRegression(), WATCHING, 0, 'success'],
    ['no verdict, not enforced', undecided('missing'), WATCHING, 0, 'success'],
    ['refused, not enforced', REFUSED, WATCHING, 3, 'error'],
    ['fail where no verdict may pass', buildRegression(), LENIENT, 1, 'failure'],
    ['noise where no verdict may pass', undecided('inconclusive'), LENIENT, 0, 'success'],
    ['no baseline where no verdict may pass', undecided('no-baseline', 'pass'), LENIENT, 0, 'success'],
    ['a missing row where no verdict may pass', undecided('inconclusive', 'missing'), LENIENT, 2, 'error'],
    ['an invalid row where no verdict may pass', undecided('invalid'), LENIENT, 2, 'error'],
    ['incomparable rows where no verdict may pass', undecided('no-baseline', 'incomparable'), LENIENT, 2, 'error'],
    ['nothing gated where no verdict may pass', buildVerdict([], { outcome: 'no-verdict' }), LENIENT, 2, 'error'],
  ])('for %s', (_, verdict, policy, exitCode, state) => {
    expect(concludeStep(verdict, policy)).toMatchObject({ exitCode, state });
  });
});

describe('what is published', () => {
  const published = (verdict: Verdict, policy: StepPolicy) =>
    publicationOf(verdict, renderReports(verdict, { enforced: policy.enforce }), concludeStep(verdict, policy));

  it('says first that a gate is not enforced, once', () => {
    expect(published(buildRegression(), WATCHING).headline).toMatch(/^not enforced: 1 regression/);
  });

  it('says first why no verdict passed', () => {
    expect(published(undecided('inconclusive'), LENIENT).headline).toMatch(
      /^accepted by on-no-verdict: pass: no verdict/,
    );
  });

  it.each<[string, Verdict, 'changed' | 'none']>([
    ['rows', PASS, 'changed'],
    ['nothing', buildVerdict([]), 'none'],
    ['a headline note', buildVerdict([], { notes: [{ code: 'x', text: 'not measured', headline: true }] }), 'changed'],
    ['a note for the fold', buildVerdict([], { notes: [{ code: 'x', text: 'hm' }] }), 'none'],
  ])('is worth a comment on change: %s', (_, verdict, models) => {
    expect(published(verdict, STRICT).models).toBe(models);
  });

  it('of a cancelled run is no verdict', () => {
    const publication = cancelledPublication('https://github.test/run/1');
    expect(publication).toMatchObject({ outcome: 'cancelled', state: 'error', headline: 'cancelled, no verdict' });
    expect(publication.commentBody).toContain('cancelled, no verdict');
  });

  it.each([
    ['a'.repeat(500), /^a{139}…$/],
    ['two\nlines\r\n::error::x', /^two lines ::error::x$/],
    ['ok', /^ok$/],
    ['😀'.repeat(200), /^(😀)+…$/u],
  ])('fits into a status: %j', (headline, text) => {
    const { description } = statusOf({ ...cancelledPublication(''), headline });
    expect(description).toMatch(text);
    expect(description.length).toBeLessThanOrEqual(140);
  });
});
