import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF, PULL_NUMBER } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { addPull, BOT, type FileState } from '../fakes/github-server-state.ts';
import { tinyMlp, unknownOpModel } from '../fakes/tiny-models.ts';

const CONFIG = 'version: 1\nmodels: [{path: models/ranker.onnx, providers: [cpu]}]\n';
/** As in the event fixtures. */
const FORK = { headOwner: 'mira', headRepositoryId: 93 };
const RUN = 8123456789;
const READ_TOKEN = 'ghs_read-only';

describe('a pull request of a fork', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let measured: ActionResult;
  let artifact: Record<string, Uint8Array>;
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'models/ranker.onnx': tinyMlp(), '.github/model-gate.yml': CONFIG },
      head: {
        'models/ranker.onnx': unknownOpModel(),
        '.github/model-gate.yml': 'version: 1\nmetrics: {run: {gate: false}}\nmodels: []\n',
      },
    });
    server = await startGitHubServer();
    server.state.tokens.set(READ_TOKEN, {
      login: BOT,
      permissions: new Set(['contents: read', 'pull-requests: read']),
    });
    demo.announce(server.state);
    measured = await firstStage();
    const folder = join(demo.folder, 'workspace-1/ranking/model-gate-results');
    artifact = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
  });
  beforeEach(() => {
    server.state.comments.length = 0;
    server.state.statuses.length = 0;
    server.state.artifacts.length = 0;
    openFork([{ filename: 'models/ranker.onnx', status: 'modified' }]);
  });
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  const firstStage = () =>
    runAction({
      folder: demo.folder,
      workspace: demo.checkOut(MERGE_REF).root,
      event: eventOf('pull_request.fork', demo.commits),
      inputs: { 'github-token': READ_TOKEN, comment: 'never' },
      server,
    });

  function openFork(files: readonly FileState[], headSha = demo.commits.head): void {
    const headRef = 'faster-interaction';
    addPull(server.state, { number: PULL_NUMBER, headSha, baseSha: demo.commits.base, headRef, files, ...FORK });
    const run = { attempt: 1, headSha: demo.commits.head, headBranch: headRef, ...FORK };
    const path = '.github/workflows/gate.yml';
    server.state.runs.set(RUN, { id: RUN, event: 'pull_request', path, conclusion: 'failure', ...run });
  }

  function upload(files: Readonly<Record<string, Uint8Array>>): void {
    const content = zipSync(files);
    const id = server.state.nextId++;
    const name = 'model-gate-results';
    server.state.artifacts.push({ id, runId: RUN, name, content, claimedBytes: content.length, expired: false });
  }

  /** Runs in an empty workspace: the second stage checks nothing out. */
  async function secondStage(): Promise<ActionResult & { readonly workspaceFiles: readonly string[] }> {
    const workspace = demo.checkOut('main').root;
    for (const name of readdirSync(workspace)) rmSync(join(workspace, name), { recursive: true });
    const event = eventOf('workflow_run.fork', demo.commits);
    const env = { GITHUB_SHA: demo.commits.base };
    const result = await runAction({
      folder: demo.folder,
      workspace,
      event,
      inputs: { command: 'publish' },
      server,
      env,
    });
    return { ...result, workspaceFiles: readdirSync(workspace) };
  }

  it('is measured without a right to write, under the policy of the base commit', () => {
    expect(measured).toMatchObject({ exitCode: 1, stderr: '', outputs: { outcome: 'fail' } });
    expect(measured.summary).toContain(
      'as it comes from a fork, the base commit&#39;s is in force'.replace('&#39;', "'"),
    );
    expect(measured.verdict().rows).toMatchObject([{ metric: 'run', role: 'gated', status: 'regressed' }]);
    expect(server.requests.filter(({ method, status }) => method !== 'GET' && status === 201)).toEqual([]);
  });

  it('is answered by the second stage with that verdict', async () => {
    upload(artifact);
    const posted = await secondStage();
    expect(posted).toMatchObject({ exitCode: 0, stderr: '', outputs: { outcome: 'fail' }, workspaceFiles: [] });
    expect(server.state.statuses.map(({ sha, state }) => [sha, state])).toEqual([[demo.commits.head, 'failure']]);
    expect(server.state.comments).toMatchObject([{ issue: PULL_NUMBER, login: BOT }]);
    expect(server.state.comments[0]?.body).toContain('1 case does not run');
    expect(server.state.comments[0]?.body).toContain('posted from its artifact');
    expect(server.violations).toEqual([]);
  });

  it.each([
    ['no artifact', {}, 'the measuring run left no artifact'],
    ['an artifact without a verdict', { 'readme.txt': strToU8('hello') }, 'holds no verdict.json'],
    ['a verdict that is none', { 'verdict.json': strToU8('{"outcome":"pass"}') }, 'is no verdict'],
    ['a verdict of 17 MiB', { 'verdict.json': new Uint8Array(17 * 2 ** 20).fill(32) }, 'is larger than'],
  ])('never turns green with %s', async (_, files: Readonly<Record<string, Uint8Array>>, reason) => {
    if (Object.keys(files).length > 0) upload(files);
    const posted = await secondStage();
    expect(posted.summary).toContain(reason);
    expect(server.state.statuses.map(({ state }) => state)).toEqual(['error']);
    expect(server.violations).toEqual([]);
  });

  const passing = () => {
    const verdict = JSON.parse(Buffer.from(artifact['verdict.json'] ?? []).toString());
    const rows = verdict.rows.map((row: object) => ({ ...row, status: 'pass' }));
    return {
      'verdict.json': strToU8(JSON.stringify({ ...verdict, outcome: 'pass', rows })),
      '../../evil.txt': strToU8('x'),
    };
  };

  it('never turns green where the change writes the workflow that measures it', async () => {
    openFork([{ filename: '.github/workflows/gate.yml', status: 'modified' }]);
    upload(passing());
    await secondStage();
    expect(server.state.statuses.map(({ state }) => state)).toEqual(['error']);
    expect(server.state.comments[0]?.body).toContain('This result does not count');
  });

  it('leaves the comment to a newer head', async () => {
    openFork([{ filename: 'models/ranker.onnx', status: 'modified' }], 'e'.repeat(40));
    upload(passing());
    const posted = await secondStage();
    expect(server.state.comments).toEqual([]);
    expect(server.state.statuses.map(({ sha, state }) => [sha, state])).toEqual([[demo.commits.head, 'error']]);
    expect(posted.workspaceFiles).toEqual([]);
  });
});
