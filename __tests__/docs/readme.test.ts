import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const README = readFileSync('README.md', 'utf8');
const blocks = (language: string) =>
  [...README.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] ?? '');

describe('the README', () => {
  it("holds a workflow that GitHub's own parser takes", () => {
    const root = mkdtempSync(join(tmpdir(), 'model-gate-readme-'));
    try {
      for (const name of ['action.yml', 'docs']) cpSync(name, join(root, name), { recursive: true });
      mkdirSync(join(root, 'examples', 'workflows'), { recursive: true });
      writeFileSync(join(root, 'examples', 'workflows', 'readme.yml'), blocks('yaml')[0] ?? '');
      const said = execFileSync(process.execPath, ['scripts/check-metadata.mjs', root], { encoding: 'utf8' });
      expect(said).toMatch(/are valid and agree/);
    } finally {
      rmSync(root, { recursive: true });
    }
  });

  it('names npm commands that exist', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(blocks('sh')[0]).toMatch(/npm ci && npm start/);
    expect(scripts).toMatchObject({ start: expect.stringContaining('demo'), test: expect.stringContaining('jest') });
  });

  it.each(['run', 'measure', 'doctor'])('names the command %s, which the program has', (command) => {
    expect(README).toContain(`\`${command}`);
    const help = execFileSync(process.execPath, ['dist/cli.js', command, '--help'], { encoding: 'utf8' });
    expect(help).toContain(`Usage: model-gate ${command}`);
  });

  it.each([...README.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? ''))(
    'links to %s, which is there',
    (path) => {
      expect(existsSync(path)).toBe(true);
    },
  );

  it('shows a comment as the gate writes it: outcome, worst row, next step, table', () => {
    const comment = /<!-- comment -->\n([\s\S]*?)<!-- \/comment -->/.exec(README)?.[1] ?? '';
    expect(comment).toMatch(/^> ### ❌ Model Gate: 1 regression in \d+ checks\n/);
    expect(comment).toMatch(/\n> \| check \| base \| head \| change \| allowed \|/);
    expect(comment).toMatch(/latency p50/);
  });

  it('fits on one screen before the reader needs anything else', () => {
    const [text = ''] = README.split('## Use it');
    expect(text.split('\n').length).toBeLessThan(45);
  });
});
