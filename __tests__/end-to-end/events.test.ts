import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoCommits, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { TOKEN } from '../fakes/github-server-state.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

type CommitName = keyof DemoCommits;

/** What one event comes to where no model changed. */
interface Expected {
  readonly checkout: string;
  /** The commits that the event calls head and base; head and base of the pull request unless said otherwise. */
  readonly named?: { readonly head?: CommitName; readonly base?: CommitName };
  readonly inputs?: Readonly<Record<string, string>>;
  /** Commit that carries the status; null where the token may not write. */
  readonly status: CommitName | null;
  readonly comments: 0 | 1;
  readonly base: CommitName;
  /** In the report, besides the commits. */
  readonly says: string;
}

const PULL: Expected = { checkout: MERGE_REF, status: 'head', comments: 1, base: 'base', says: 'no model changed' };
const MAIN: Expected = { ...PULL, checkout: 'main', comments: 0, status: 'base', base: 'root' };
const LAUNCH: Expected = { ...MAIN, named: { head: 'base' }, says: '1 check unchanged' };
const FORK: Expected = { ...PULL, status: null, comments: 0, says: 'command: publish' };

const EXPECTED: Record<string, Expected> = {
  'pull_request.opened': PULL,
  'pull_request.synchronize': PULL,
  'pull_request.reopened': PULL,
  'pull_request.labeled': PULL,
  'pull_request.fork': FORK,
  'pull_request.fork-deleted': FORK,
  merge_group: { ...PULL, named: { head: 'merge' }, status: 'merge', comments: 0 },
  'push.main': { ...MAIN, named: { head: 'base', base: 'root' } },
  'push.main-forced': {
    ...MAIN,
    named: { head: 'base', base: 'head' },
    says: 'is not in this history (force push?): compared with the merge base',
  },
  'push.new-branch': { ...MAIN, checkout: 'faster-interaction', status: 'head' },
  'push.tag': { ...MAIN, named: { head: 'base' } },
  schedule: MAIN,
  'workflow_dispatch.main': MAIN,
  'workflow_dispatch.ref': { ...MAIN, checkout: 'faster-interaction', status: 'head' },
  'workflow_dispatch.pr-number': { ...PULL, inputs: { 'pr-number': '42' } },
  'release.published': LAUNCH,
  deployment: LAUNCH,
};

const REFUSED: Record<string, string> = {
  'pull_request.closed': 'take `closed` out of the `types`',
  'pull_request_target.opened': 'it would run files of the pull request with write access and secrets',
  'push.deleted': 'the push deleted "refs/heads/try"',
  'workflow_run.push': 'about a run of "push", which has no pull request',
  'workflow_run.fork': 'a workflow_run is not measured',
  'release.deleted': 'a release that was deleted',
  'issue_comment.created': 'the event "issue_comment" is not one the gate knows',
};

describe('dist/index.js, where no model changed', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  beforeAll(() => {
    demo = createDemoRepository({
      base: {
        'models/ranker.onnx': tinyMlp(),
        '.github/model-gate.yml': 'version: 1\nmodels: [{path: models/ranker.onnx, providers: [cpu]}]\n',
      },
      head: { 'src/features.py': 'x = 1\n' },
    });
  });
  beforeEach(async () => {
    server = await startGitHubServer();
    demo.announce(server.state);
  });
  afterEach(() => server.close());
  afterAll(() => demo.remove());

  const run = (
    fixture: string,
    { checkout, named = {}, inputs = {} }: Pick<Expected, 'checkout' | 'named' | 'inputs'>,
  ) => {
    const commits = {
      ...demo.commits,
      head: demo.commits[named.head ?? 'head'],
      base: demo.commits[named.base ?? 'base'],
    };
    return runAction({
      folder: demo.folder,
      workspace: demo.checkOut(checkout).root,
      event: eventOf(fixture, commits),
      inputs: { comment: 'always', ...inputs },
      server,
    });
  };

  it.each(Object.entries(EXPECTED))('answers %s on the right commit', async (fixture, expected) => {
    if (expected.status === null)
      server.state.tokens.set(TOKEN, {
        login: 'github-actions[bot]',
        permissions: new Set(['contents: read', 'pull-requests: read']),
      });
    const result = await run(fixture, expected);
    expect(result).toMatchObject({ exitCode: 0, stderr: '', outputs: { outcome: 'pass' } });
    expect(server.state.statuses.map(({ sha, state, context }) => [sha, state, context])).toEqual(
      expected.status === null
        ? []
        : ['pending', 'success'].map((state) => [demo.commits[expected.status as CommitName], state, 'model-gate']),
    );
    expect(server.state.comments).toHaveLength(expected.comments);
    expect(result.verdict().base.commit).toBe(demo.commits[expected.base]);
    expect(result.summary).toContain(expected.says);
    expect(server.violations).toEqual([]);
  });

  it.each(Object.entries(REFUSED))('refuses %s and says why', async (fixture, reason) => {
    const result = await run(fixture, { checkout: 'main' });
    expect(result).toMatchObject({ exitCode: 3, stderr: '', outputs: { outcome: 'refused' } });
    expect(result.commands.filter((line) => line.startsWith('::error::')).join('')).toContain(reason);
    expect(server.state).toMatchObject({ statuses: [], comments: [] });
    expect(result.resultFile('verdict.json')).toBeNull();
    expect(server.violations).toEqual([]);
  });

  it('is proven for every event fixture', () => {
    const proven = [...Object.keys(EXPECTED), ...Object.keys(REFUSED)].sort();
    expect(
      readdirSync('__tests__/fixtures/events')
        .map((name) => name.replace('.json', ''))
        .sort(),
    ).toEqual(proven);
  });
});
