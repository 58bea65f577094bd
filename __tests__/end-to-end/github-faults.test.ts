import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type Fault, type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { ALL_PERMISSIONS, addComment, addPull, BOT, TOKEN } from '../fakes/github-server-state.ts';
import { passThroughModel, tinyMlp } from '../fakes/tiny-models.ts';

const COMMENTS = /\/issues\/42\/comments$/;
const STATUSES = /\/statuses\//;
const OUTCOME = { exitCode: 2, stderr: '', outputs: { outcome: 'no-verdict' } };
const HEADLINE = 'no verdict, 1 of 1 check could not be decided';
const LIMIT_MS = 120_000;

describe('a verdict on a GitHub that misbehaves', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let workspace: string;
  beforeAll(() => {
    demo = createDemoRepository({
      base: { 'models/ranker.onnx': tinyMlp() },
      head: { 'models/ranker.onnx': passThroughModel([{ name: 'ids', dtype: 'int64', dims: ['batch', 26] }]) },
    });
    workspace = demo.checkOut(MERGE_REF).root;
  });
  beforeEach(async () => {
    server = await startGitHubServer();
    demo.announce(server.state);
  });
  afterEach(() => server.close());
  afterAll(() => demo.remove());

  const run = (runId = '1000') =>
    runAction({
      folder: demo.folder,
      workspace,
      event: eventOf('pull_request.opened', demo.commits),
      server,
      env: { GITHUB_RUN_ID: runId },
    });
  const permit = (...missing: string[]) =>
    server.state.tokens.set(TOKEN, {
      login: BOT,
      permissions: new Set([...ALL_PERMISSIONS].filter((permission) => !missing.includes(permission))),
    });
  const states = () => server.state.statuses.map(({ state }) => state);

  it('names the permission for the comment, and stays as it is', async () => {
    permit('pull-requests: write');
    const result = await run();
    expect(result).toMatchObject(OUTCOME);
    expect(result.summary).toContain('permissions: pull-requests: write');
    expect(result.summary).toContain(HEADLINE);
    expect(result.commands.filter((line) => line.startsWith('::warning'))).toEqual([
      expect.stringContaining('pull-requests: write'),
    ]);
    expect(server.state.comments).toEqual([]);
    expect(states()).toEqual(['pending', 'error']);
  });

  it('names the permission for the status, and comments all the same', async () => {
    permit('statuses: write');
    const result = await run();
    expect(result).toMatchObject(OUTCOME);
    expect(result.summary).toContain('permissions: statuses: write');
    expect(server.state.comments).toHaveLength(1);
  });

  it('says that the token is no good, and stays as it is', async () => {
    server.state.tokens.clear();
    const result = await run();
    expect(result).toMatchObject(OUTCOME);
    expect(result.summary).toContain('the token is invalid or has expired (401)');
    expect(server.state).toMatchObject({ comments: [], statuses: [] });
  });

  const FAULTS: Record<string, Fault> = {
    'a comment made but answered with 502': { method: 'POST', path: COMMENTS, when: 'after', answer: 502 },
    'a comment answered with 500, unread': { method: 'POST', path: COMMENTS, answer: 500 },
    'a comment made on a connection that drops': { method: 'POST', path: COMMENTS, when: 'after', answer: 'drop' },
    'a comment whose answer is cut': { method: 'POST', path: COMMENTS, answer: 'cut' },
    'a list of comments on a connection that drops': { method: 'GET', path: COMMENTS, answer: 'drop' },
    'a secondary rate limit': {
      method: 'POST',
      path: COMMENTS,
      answer: 403,
      message: 'You have exceeded a secondary rate limit.',
      headers: { 'retry-after': '1' },
    },
    'too many requests': { method: 'POST', path: COMMENTS, answer: 429, headers: { 'retry-after': '1' } },
    'a status answered with 503': { method: 'POST', path: STATUSES, answer: 503 },
    'a status on a connection that drops': { method: 'POST', path: STATUSES, answer: 'drop' },
  };
  it.each(Object.entries(FAULTS))(
    'survives %s with exactly one comment',
    async (_, fault) => {
      server.plan(fault);
      expect(await run()).toMatchObject(OUTCOME);
      expect(server.state.comments.map(({ body }) => body)).toEqual([expect.stringContaining(HEADLINE)]);
      expect(states()).toEqual(['pending', 'error']);
      expect(server.violations).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'gives up on comments that stay down, and stays as it is',
    async () => {
      server.plan({ path: COMMENTS, answer: 503, times: 1000 });
      const result = await run();
      expect(result).toMatchObject(OUTCOME);
      expect(result.summary).toContain('the pull request comment could not be written: GitHub answered 503');
      expect(states()).toEqual(['pending', 'error']);
    },
    LIMIT_MS,
  );

  it('finds its own comment behind 130 others, and only its own', async () => {
    const marker = `<!-- model-gate context=model-gate head=${demo.commits.head} attempts=1.1:pass -->\nI am the gate`;
    for (let index = 0; index < 130; index++) addComment(server.state, 42, index % 2 ? 'mira' : BOT, `remark ${index}`);
    addComment(server.state, 42, 'mallory', marker);
    await run('1000');
    await run('1001');
    const own = server.state.comments.filter(({ body }) => body.includes(HEADLINE));
    expect(own).toMatchObject([{ login: BOT, edits: 1 }]);
    expect(own[0]?.body).toContain('attempt 2 on this head; earlier: no verdict');
    expect(server.state.comments).toHaveLength(132);
    expect(server.violations).toEqual([]);
  });

  it('leaves the comment to the newer head where the pull request moved on meanwhile', async () => {
    const newer = 'e'.repeat(40);
    addPull(server.state, { number: 42, headSha: newer, baseSha: demo.commits.base });
    const text = `<!-- model-gate context=model-gate head=${newer} attempts=1001.1:pass -->\nabout the newer head`;
    addComment(server.state, 42, BOT, text);
    expect(await run('1000')).toMatchObject(OUTCOME);
    expect(server.state.comments).toMatchObject([{ body: text, edits: 0 }]);
    expect(server.state.statuses.map(({ sha }) => sha)).toEqual([demo.commits.head, demo.commits.head]);
  });
});

describe('a GitHub Enterprise Server', () => {
  it('is asked at its own address', async () => {
    const demo = createDemoRepository({ base: { 'models/ranker.onnx': tinyMlp() }, head: { 'a.py': '' } });
    const server = await startGitHubServer({ basePath: '/api/v3' });
    demo.announce(server.state);
    try {
      const event = eventOf('pull_request.opened', demo.commits);
      const workspace = demo.checkOut(MERGE_REF).root;
      const inputs = { comment: 'always' };
      const result = await runAction({ folder: demo.folder, workspace, event, inputs, server });
      expect(result).toMatchObject({ exitCode: 0, outputs: { outcome: 'pass' } });
      expect(server.state.comments).toHaveLength(1);
      expect(server.state.statuses.map(({ state }) => state)).toEqual(['pending', 'success']);
      expect(server.violations).toEqual([]);
    } finally {
      await server.close();
      demo.remove();
    }
  });
});
