import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { expect } from '@jest/globals';
import type { ActionResult } from '../fakes/action-run.ts';
import { TOKEN } from '../fakes/github-server-state.ts';
import { elementsIn, renderGfm, textIn } from '../report/gfm.ts';

/** Elements that the gate's own Markdown makes. */
const ELEMENTS =
  'a blockquote br code del details em h3 h4 hr li ol p pre strong sub summary table tbody td th thead tr ul';
const OUTPUTS = ['comment-url', 'gated-models', 'outcome', 'report-file', 'verdict-file'];
/** Commands of ours in which text of others may stand: the runner ends them at the line's end. */
const OWN_COMMAND = new RegExp(`^::(?:add-mask::${TOKEN}|(?:error|warning|notice) title=Model Gate[^:]*::|error::)`);
const RUN_URL = 'https://github.test/acme/ranking/actions/runs/1000';

/** What a runner itself makes for a step, and git's own. */
const EXPECTED_PATHS = /^origin\.git(?:\/|$)|^runner-\w+(?:\/(?:_temp|_tool|home|event\.json|github_\w+))?$/;

/** Every file and folder below `folder` that is neither git's nor the runner's own. */
export function pathsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !path.split(sep).includes('.git') && !EXPECTED_PATHS.test(path))
    .sort();
}

/** Nothing that a runner or a reader's browser would act on, whatever stood in names and texts. */
export function expectHarmless(result: ActionResult, comments: readonly { readonly body: string }[]): void {
  expect(result.stderr).toBe('');
  expect(result.laterSteps).toBe('');
  expect(OUTPUTS).toEqual(expect.arrayContaining(Object.keys(result.outputs)));
  expect(result.commands.filter((line) => !OWN_COMMAND.test(line))).toEqual([]);
  expect(result.commands.filter((line) => line.startsWith('::error::')).length).toBeLessThanOrEqual(1);
  expect(result.commands.length).toBeLessThanOrEqual(32);
  expect(result.stdout).not.toContain('\u001b');
  expect(Buffer.byteLength(result.summary)).toBeLessThanOrEqual(2 ** 20);
  for (const { body } of comments) expect(body.length).toBeLessThanOrEqual(65_536);
  for (const markdown of [result.summary, ...comments.map(({ body }) => body.replace(/^<!-- [^>]* -->\n/, ''))])
    expectPlainMarkdown(markdown);
}

function expectPlainMarkdown(markdown: string): void {
  const html = renderGfm(markdown);
  expect(ELEMENTS.split(' ')).toEqual(expect.arrayContaining([...elementsIn(html)]));
  expect([...new Set([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]))]).toEqual(
    html.includes('href=') ? [RUN_URL] : [],
  );
  // GitHub reads no mention, reference or emoji inside code.
  const prose = textIn(html.replace(/<(code|pre)>[\s\S]*?<\/\1>/g, ''));
  expect(prose.match(/(?<![\w`])@[a-z\d]|(?<!\w)#\d|(?<!\w)GH-\d|:[a-z_]+:(?!:)/gi)).toBeNull();
}
