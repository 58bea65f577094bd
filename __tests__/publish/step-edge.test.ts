import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

/** What a runner takes as a command: `::name …::` at the start of a line, `##[name]` anywhere. */
const COMMAND = /^\s*::[a-z-]+(?: [^\n]*)?::|##\[[a-z-]+/gm;
const NASTY =
  'x\n::error::pwned\r::set-output name=a::b\n  ::stop-commands::x\n##[error]pwned\ny ##[add-path]/tmp\n\u001b[31mred';

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'model-gate-step-'));
  const contents = `
    import { annotate, appendSummary, logText, maskToken, writeOutputs } from './src/publish/step-edge.ts';
    const nasty = process.env.NASTY;
    logText(nasty);
    annotate({ level: 'error', title: nasty + ':,%', message: nasty + 'z'.repeat(1e6) });
    maskToken('ghs_secret');
    maskToken('');
    writeOutputs({ outcome: nasty, 'has-work': false, 'gated-models': ['a,b', nasty], matrix: undefined });
    await appendSummary('# one', process.env.GITHUB_STEP_SUMMARY);
    await appendSummary('x'.repeat(1.2 * 1024 * 1024) + '\\n', process.env.GITHUB_STEP_SUMMARY);
    await appendSummary('# lost', undefined);`;
  await build({
    stdin: { contents, resolveDir: process.cwd(), loader: 'ts' },
    outfile: join(folder, 'step.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('what a step tells the runner', () => {
  let stdout: string;
  let outputs: string;
  let summary: string;

  beforeAll(() => {
    const [outputFile, summaryFile] = ['output', 'summary'].map((name) => join(folder, name)) as [string, string];
    for (const file of [outputFile, summaryFile]) writeFileSync(file, '');
    const env = { ...process.env, NASTY, GITHUB_OUTPUT: outputFile, GITHUB_STEP_SUMMARY: summaryFile };
    const child = spawnSync(process.execPath, [join(folder, 'step.mjs')], { encoding: 'utf8', env });
    expect(child).toMatchObject({ status: 0, stderr: '' });
    stdout = child.stdout;
    outputs = readFileSync(outputFile, 'utf8');
    summary = readFileSync(summaryFile, 'utf8');
  });

  it('is one annotation and one mask, whatever the texts hold', () => {
    expect(
      stdout
        .split(/\r|\n/)
        .join('\n')
        .match(COMMAND)
        ?.map((command) => command.slice(0, 9)),
    ).toEqual(['::error t', '::add-mas']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout.length).toBeLessThan(3000);
  });

  it('keeps each output apart by a delimiter nobody can guess', () => {
    const parsed = [...outputs.matchAll(/^([\w-]+)<<(ghadelimiter_[\w-]+)\r?\n([\s\S]*?)\r?\n\2$/gm)].map(
      ([, name, , value]) => [name, value],
    );
    expect(parsed).toEqual([
      ['outcome', NASTY],
      ['has-work', 'false'],
      ['gated-models', JSON.stringify(['a,b', NASTY])],
    ]);
  });

  it('never lets the summary grow to 1 MiB', () => {
    expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
    expect(summary).toMatch(/^# one\n/);
  });
});
