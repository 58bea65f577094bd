import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { fileText, restartsOf } from '../verdict/measurement-text.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-cli-output-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('an answer that nobody can read', () => {
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  spawnSync(process.execPath, [join(repository, 'scripts', 'build.mjs'), join(root, 'dist')], { cwd: repository });
  const cases = Array.from({ length: 300 }, (_, i) => ({
    id: `m${i}/cpu/b1/c1`,
    restarts: restartsOf('latency.p50', 1, 6),
  }));
  for (const arm of ['base', 'head'] as const) writeFileSync(join(root, `${arm}.json`), fileText(arm, { cases }));
  const compare = `"${process.execPath}" dist/cli.js compare --base base.json --head head.json --json`;
  const run = (script: string) => spawnSync('bash', ['-c', script], { cwd: root, encoding: 'utf8' });

  it('keeps the exit code of its outcome where the reader has seen enough', () => {
    const ended = run(`${compare} | head -c 10; exit "\${PIPESTATUS[0]}"`);
    expect([ended.status, ended.stderr]).toEqual([0, '']);
  });

  it('leaves no half-written report where the path is a folder', () => {
    mkdirSync(join(root, 'folder'));
    expect(run(`${compare} --markdown folder`).status).toBe(2);
    expect(readdirSync(root).filter((name) => name.endsWith('.partial'))).toEqual([]);
  });

  it('is no verdict on a full disk, never a failure', () => {
    const ended = run(`${compare} > /dev/full`);
    expect(ended.status).toBe(2);
    expect(ended.stderr).toMatch(/^no verdict: ENOSPC/);
  });
});
