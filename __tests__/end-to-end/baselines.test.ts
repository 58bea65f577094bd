import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import type { Repository } from '../fakes/git-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const CONFIG = 'version: 1\nmodels: [{path: models/*.onnx, providers: [cpu], session: {threads: 1}}]\n';
const BRANCH = 'model-gate-baselines';
const LIMIT_MS = 300_000;

describe('the branch of baselines', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let pushed: ActionResult;
  let workspace: Repository;
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'models/old.onnx': tinyMlp(), '.github/model-gate.yml': CONFIG },
      head: { 'models/fresh.onnx': tinyMlp({ layers: 3 }) },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    workspace = demo.checkOut(MERGE_REF);
    pushed = await gate('push.main');
  }, LIMIT_MS);
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  /** The pull request was merged: its merge commit is what main was pushed to. */
  const gate = (fixture: string) => {
    const isPull = fixture.startsWith('pull_request');
    const commits = isPull ? demo.commits : { ...demo.commits, head: demo.commits.merge };
    const inputs = { 'baseline-store': 'branch' };
    return runAction({
      folder: demo.folder,
      workspace: workspace.root,
      event: eventOf(fixture, commits),
      inputs,
      server,
    });
  };
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: join(demo.folder, 'origin.git'), encoding: 'utf8' }).trim();

  it('is written by a push to the default branch that passes', () => {
    expect(pushed).toMatchObject({ exitCode: 0, stderr: '', outputs: { outcome: 'pass' } });
    expect(server.state.statuses.at(-1)).toMatchObject({ sha: demo.commits.merge, state: 'success' });
    const [path = '', ...more] = git('ls-tree', '-r', '--name-only', BRANCH)
      .split('\n')
      .filter((name) => name.endsWith('.json'));
    expect(more).toEqual([]);
    expect(path).toMatch(/^baselines\/models--fresh\/[0-9a-f]{12}\.json$/);
    const stored = JSON.parse(git('show', `${BRANCH}:${path}`));
    expect(stored).toMatchObject({ schema: 'model-gate/baseline@1', model: 'models--fresh', epochs: [{ id: 1 }] });
    expect(stored.sessions).toMatchObject([{ case: 'models--fresh/cpu/b1/c1', commit: demo.commits.merge, epoch: 1 }]);
    expect(stored.sessions[0].metrics['latency.p50'].restarts.length).toBeGreaterThanOrEqual(6);
  });

  it("leaves the work tree and the workspace's own branches alone", () => {
    expect(workspace.git('status', '--porcelain')).toBe('');
    expect(workspace.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('');
    expect(workspace.git('rev-parse', 'HEAD')).toBe(demo.commits.merge);
  });

  it('is what a later run is compared with', async () => {
    const nightly = await gate('schedule');
    expect(nightly).toMatchObject({ exitCode: 0, stderr: '', outputs: { outcome: 'pass' } });
    expect(nightly.verdict().base.commit).toBe(demo.commits.merge);
  });

  it(
    'stands in where base has no such model, and is not written by a pull request',
    async () => {
      const tip = git('rev-parse', BRANCH);
      const again = await gate('pull_request.opened');
      expect(again).toMatchObject({ exitCode: 0, stderr: '', outputs: { outcome: 'pass' } });
      expect(again.summary).toContain('head is compared with the model accepted on');
      expect(git('rev-parse', BRANCH)).toBe(tip);
    },
    LIMIT_MS,
  );
});
