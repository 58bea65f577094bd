import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoCommits, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

interface Case {
  readonly fixture: string;
  readonly checkout: string;
  readonly depth: number;
  /** Commits the event names in place of the pull request's. */
  readonly named?: Partial<Record<'head' | 'base', string>>;
  readonly exitCode: number;
  readonly base: keyof DemoCommits | null;
  readonly says: string;
}

const GONE = 'd'.repeat(40);

/** What the workflow checked out is not always what it should have: never an older ancestor, never another's commit. */
const CASES: Record<string, Case> = {
  'a merge commit alone is deepened to its base': {
    fixture: 'pull_request.opened',
    checkout: MERGE_REF,
    depth: 1,
    exitCode: 0,
    base: 'base',
    says: 'no model changed',
  },
  "the pull request's head is compared with where it left main": {
    fixture: 'pull_request.opened',
    checkout: 'faster-interaction',
    depth: 1,
    exitCode: 0,
    base: 'root',
    says: 'no model changed',
  },
  "main in place of the pull request's merge is no verdict": {
    fixture: 'pull_request.opened',
    checkout: 'main',
    depth: 1,
    exitCode: 2,
    base: null,
    says: "neither the pull request's head",
  },
  'a merge group on another commit is no verdict': {
    fixture: 'merge_group',
    checkout: 'main',
    depth: 1,
    exitCode: 2,
    base: null,
    says: "is not the event's",
  },
  'a push from a commit that is gone is compared with the merge base, and says so': {
    fixture: 'push.main-forced',
    checkout: MERGE_REF,
    depth: 1,
    named: { base: GONE },
    exitCode: 0,
    base: 'base',
    says: 'no longer exists',
  },
  'a push from a commit that is gone is no verdict where no merge base is left': {
    fixture: 'push.main-forced',
    checkout: 'main',
    depth: 1,
    named: { base: GONE },
    exitCode: 2,
    base: null,
    says: 'is gone (force push) and no merge base is left',
  },
};

describe('a checkout that is not as usual', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  beforeAll(() => {
    demo = createDemoRepository({ base: { 'models/ranker.onnx': tinyMlp() }, head: { 'a.py': 'x = 1\n' } });
  });
  beforeEach(async () => {
    server = await startGitHubServer();
    demo.announce(server.state);
  });
  afterEach(() => server.close());
  afterAll(() => demo.remove());

  it.each(Object.entries(CASES))('%s', async (_, { fixture, checkout, depth, named, exitCode, base, says }) => {
    const pushed = checkout === MERGE_REF ? demo.commits.merge : demo.commits.base;
    const own = fixture.startsWith('push') ? { head: pushed } : {};
    const result = await runAction({
      folder: demo.folder,
      workspace: demo.checkOut(checkout, depth).root,
      event: eventOf(fixture, { ...demo.commits, ...own, ...named }),
      server,
    });
    expect(result).toMatchObject({ exitCode, stderr: '' });
    expect(result.summary).toContain(says);
    if (base) expect(result.verdict().base.commit).toBe(demo.commits[base]);
    expect(server.state.statuses.map(({ state }) => state)).toEqual(['pending', exitCode === 0 ? 'success' : 'error']);
    expect(server.violations).toEqual([]);
  });
});
