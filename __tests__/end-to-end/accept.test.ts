import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const CONFIG = 'version: 1\nmodels: [{path: models/*.onnx, providers: [cpu], session: {threads: 1}}]\n';
const BRANCH = 'model-gate-baselines';
const LIMIT_MS = 300_000;

const errorsOf = ({ commands }: ActionResult) => commands.filter((line) => line.startsWith('::error'));

describe('a branch of baselines that a rule protects', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let workspace: string;
  let hook: string;
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'README.md': 'words', '.github/model-gate.yml': CONFIG },
      head: { 'models/fresh.onnx': tinyMlp({ layers: 3 }) },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    workspace = demo.checkOut(MERGE_REF).root;
    hook = join(demo.folder, 'origin.git/hooks/pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "protected branch hook declined" >&2\nexit 1\n');
    chmodSync(hook, 0o755);
  });
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  const gate = (command: string, inputs: Readonly<Record<string, string>> = {}) =>
    runAction({
      folder: demo.folder,
      workspace,
      event: eventOf('push.main', { ...demo.commits, head: demo.commits.merge }),
      inputs: { command, 'baseline-store': 'branch', ...inputs },
      server,
    });
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: join(demo.folder, 'origin.git'), encoding: 'utf8' }).trim();

  it(
    'fails the step in one line once the verdict is out',
    async () => {
      const result = await gate('gate');
      expect(result).toMatchObject({ exitCode: 2, outputs: { outcome: 'pass' } });
      expect(errorsOf(result)).toEqual([
        expect.stringMatching(/^::error::the baseline was not stored: .*the job needs "contents: write"/),
      ]);
      expect(server.state.statuses.at(-1)).toMatchObject({ sha: demo.commits.merge, state: 'success' });
      expect(git('for-each-ref', '--format=%(refname:short)', `refs/heads/${BRANCH}`)).toBe('');
    },
    LIMIT_MS,
  );

  it('takes what that run measured afterwards, with a reason, by `accept-baseline`', async () => {
    rmSync(hook);
    const result = await gate('accept-baseline', { reason: 'the rule was in the way' });
    expect(result).toMatchObject({ exitCode: 0 });
    expect(errorsOf(result)).toEqual([]);
    const path = git('ls-tree', '-r', '--name-only', BRANCH);
    expect(JSON.parse(git('show', `${BRANCH}:${path}`))).toMatchObject({
      model: 'models--fresh',
      epochs: [{ reason: 'the rule was in the way' }],
      sessions: [{ commit: demo.commits.merge }],
    });
    expect(git('log', '-1', '--format=%b', BRANCH)).toBe('the rule was in the way');
  });

  it('refuses an acceptance without files', async () => {
    const result = await gate('accept-baseline', { results: 'elsewhere' });
    expect(result).toMatchObject({ exitCode: 3, outputs: { outcome: 'refused' } });
    expect(errorsOf(result).join()).toContain('holds no head.measurement.json');
  });
});
