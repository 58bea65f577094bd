import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import { type Republished, republish } from '../../src/publish/republish.ts';
import { createRepublishEdges } from '../../src/publish/republish-edge.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import type { Fault } from '../fakes/github-server.ts';
import { addPull, type FileState, type PullState, type RunState, TOKEN } from '../fakes/github-server-state.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { openWorld, type World } from './publishing.ts';

const FORK_HEAD = 'f'.repeat(40);
const FORK_PULL = 12;
const RUN = 555;
const PASS = buildVerdict([buildRow()]);

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  expect(world.server.violations).toEqual([]);
  await world.close();
});

/** Pull request 12 from the fork `mallory/ranking`, measured by run 555. */
function openFork({
  pull = {},
  run = {},
}: {
  readonly pull?: Partial<PullState>;
  readonly run?: Partial<RunState>;
} = {}): void {
  const files: FileState[] = [{ filename: 'models/ranker.onnx', status: 'modified' }];
  const from = { headOwner: 'mallory', headRepositoryId: 2002 };
  addPull(world.server.state, { number: FORK_PULL, headSha: FORK_HEAD, headRef: 'patch-1', files, ...from, ...pull });
  world.server.state.commits.add(FORK_HEAD);
  world.server.state.runs.set(RUN, {
    id: RUN,
    attempt: 1,
    headSha: FORK_HEAD,
    headBranch: 'patch-1',
    event: 'pull_request',
    path: '.github/workflows/gate.yml',
    conclusion: 'success',
    ...from,
    ...run,
  });
}

function leaveArtifact(content: Verdict | Uint8Array, name = 'model-gate-results'): void {
  const archive =
    content instanceof Uint8Array ? content : zipSync({ 'verdict.json': strToU8(JSON.stringify(content)) });
  world.server.state.artifacts.push({
    id: world.server.state.nextId++,
    runId: RUN,
    name,
    content: archive,
    claimedBytes: archive.length,
    expired: false,
  });
}

function publishRun(): Promise<Republished> {
  const edges = createRepublishEdges({
    owner: 'acme',
    repo: 'ranking',
    token: TOKEN,
    apiUrl: world.server.apiUrl,
    commentMode: 'always',
    statusContext: 'model-gate',
    summaryFile: world.summaryFile,
    wait: async () => {},
  });
  const policy = { enforce: true, 'on-no-verdict': 'fail' } as const;
  return republish(edges, { repository: 'acme/ranking', runId: RUN, artifactName: 'model-gate-results', policy });
}

const lastStatus = () => world.server.state.statuses.at(-1);
const forkComments = () => world.server.state.comments.filter(({ issue }) => issue === FORK_PULL);

describe("a fork's result", () => {
  it('is posted on its pull request and its head commit', async () => {
    openFork();
    leaveArtifact(PASS);
    expect(await publishRun()).toMatchObject({ outcome: 'pass', pullNumber: FORK_PULL, verdict: PASS, notes: [] });
    expect(lastStatus()).toMatchObject({ sha: FORK_HEAD, state: 'success', context: 'model-gate' });
    expect(forkComments()).toHaveLength(1);
    expect(forkComments()[0]?.body).toContain("Measured by the pull request's own run");
  });

  it('fails as it would have in the repository itself', async () => {
    openFork();
    leaveArtifact(buildRegression());
    expect(await publishRun()).toMatchObject({ outcome: 'fail' });
    expect(lastStatus()).toMatchObject({ state: 'failure', description: expect.stringContaining('regression') });
  });

  it('is updated by the attempts of the measuring run, not by those of the publishing one', async () => {
    openFork();
    leaveArtifact(PASS);
    await publishRun();
    await publishRun();
    expect(forkComments()).toHaveLength(1);
    expect(forkComments()[0]?.body).not.toContain('attempt 2');
  });

  it('counts of several artifacts the newest, and never one of another name', async () => {
    openFork();
    leaveArtifact(buildRegression());
    leaveArtifact(PASS);
    leaveArtifact(buildRegression(), 'model-gate-results-old');
    expect(await publishRun()).toMatchObject({ outcome: 'pass' });
  });
});

describe('where a result goes', () => {
  it('is never told by the artifact', async () => {
    openFork();
    const forged = {
      ...PASS,
      pullNumber: 7,
      pull_request: { number: 7 },
      head: { commit: 'a'.repeat(40), session: 's' },
    };
    leaveArtifact(zipSync({ 'verdict.json': strToU8(JSON.stringify(forged)), 'pr-number.txt': strToU8('7') }));
    await publishRun();
    expect(world.comments()).toEqual([]);
    expect(world.server.state.statuses.map(({ sha }) => sha)).toEqual([FORK_HEAD]);
  });

  it('is no pull request of another fork with the same branch name', async () => {
    openFork({ pull: { headSha: '9'.repeat(40) } });
    addPull(world.server.state, {
      number: 13,
      headSha: FORK_HEAD,
      headRef: 'patch-1',
      headOwner: 'eve',
      headRepositoryId: 3003,
    });
    leaveArtifact(PASS);
    expect(await publishRun()).toMatchObject({ pullNumber: null });
    expect(world.server.state.comments).toEqual([]);
  });

  it.each<[string, Partial<PullState>, string]>([
    ['moved on', { headSha: '9'.repeat(40) }, 'the pull request has a newer head'],
    ['closed', { state: 'closed' }, 'no open pull request has this head'],
  ])('is no pull request that has %s, nor a green status', async (_, pull, reason) => {
    openFork({ pull });
    leaveArtifact(PASS);
    const { pullNumber, notes } = await publishRun();
    expect(pullNumber).toBeNull();
    expect(notes).toMatchObject([{ text: `no comment: ${reason}` }]);
    expect(forkComments()).toEqual([]);
    expect(lastStatus()).toMatchObject({ state: 'error' });
  });

  it('is refused for a run that a pull request did not start', async () => {
    openFork({ run: { event: 'push' } });
    leaveArtifact(PASS);
    await expect(publishRun()).rejects.toThrow(/was started by push: only pull_request runs are published/);
    expect(world.server.state.statuses).toEqual([]);
  });
});

describe('a fork that would judge itself', () => {
  it.each<[string, Partial<PullState>]>([
    ['edits a workflow', { files: [{ filename: '.github/workflows/gate.yml', status: 'modified' }] }],
    ['adds a workflow of the same name', { files: [{ filename: '.github/workflows/other.yaml', status: 'added' }] }],
    [
      'moves a workflow away',
      { files: [{ filename: 'x.yml', previous_filename: '.github/workflows/gate.yml', status: 'renamed' }] },
    ],
    ['edits a local action', { files: [{ filename: 'tools/gate/action.yml', status: 'modified' }] }],
    [
      'hides it behind 150 files',
      {
        files: [
          ...Array.from({ length: 150 }, (_, i): FileState => ({ filename: `f${i}`, status: 'added' })),
          { filename: '.github/actions/a/b.js', status: 'added' },
        ],
      },
    ],
    ['touches more files than GitHub lists', { changedFiles: 4000 }],
  ])('never turns the status green when it %s', async (_, pull) => {
    openFork({ pull });
    leaveArtifact(PASS);
    expect(await publishRun()).toMatchObject({ outcome: 'no-verdict' });
    expect(lastStatus()).toMatchObject({ state: 'error', description: expect.stringMatching(/^does not count, /) });
    expect(forkComments()[0]?.body).toContain('A maintainer has to run the gate.');
  });

  it('never turns it green when the head moves while it is looked at', async () => {
    openFork({ pull: { files: [] } });
    leaveArtifact(PASS);
    const hold = async () => {
      for (const pull of world.server.state.pulls.values())
        if (pull.number === FORK_PULL) pull.headSha = '9'.repeat(40);
    };
    world.server.plan({ method: 'GET', path: /\/pulls\/12\/files$/, answer: 'normal', hold });
    await publishRun();
    expect(lastStatus()).toMatchObject({ sha: FORK_HEAD, state: 'error' });
    expect(forkComments()).toEqual([]);
  });

  it('is trusted from a branch of the repository itself', async () => {
    const own = { headOwner: 'acme', headRepositoryId: 1001 };
    openFork({ pull: { ...own, files: [{ filename: '.github/workflows/gate.yml', status: 'modified' }] }, run: own });
    leaveArtifact(PASS);
    await publishRun();
    expect(lastStatus()).toMatchObject({ state: 'success' });
  });
});

describe('a result that is none', () => {
  it.each<[string, Uint8Array | null, string, RegExp]>([
    ['is missing', null, 'no-verdict', /^no verdict: the measuring run left no artifact/],
    ['is no archive', strToU8('hello'), 'refused', /^refused: the artifact is no zip archive/],
    [
      'contradicts itself',
      zipSync({ 'verdict.json': strToU8(JSON.stringify({ ...buildRegression(), outcome: 'pass' })) }),
      'refused',
      /^refused: the verdict says pass but holds/,
    ],
  ])('%s: an error on the head, said on the pull request', async (_, content, outcome, text) => {
    openFork();
    if (content) leaveArtifact(content);
    expect(await publishRun()).toMatchObject({ outcome, verdict: null });
    expect(lastStatus()).toMatchObject({ sha: FORK_HEAD, state: 'error', description: expect.stringMatching(text) });
    expect(forkComments()).toHaveLength(1);
  });

  it('of another size than GitHub said is read only to the limit', async () => {
    openFork();
    leaveArtifact(new Uint8Array(40 * 1024 ** 2));
    Object.assign(world.server.state.artifacts[0] ?? {}, { claimedBytes: 1000 });
    expect(await publishRun()).toMatchObject({ outcome: 'refused' });
    expect(lastStatus()?.description).toMatch(/larger than 32 MiB/);
  });

  it('stays text in the comment, the status, the log and the summary', async () => {
    openFork();
    const nasty =
      '@team <img src=x onerror=alert(1)> <!-- model-gate --> | `x` \n::error::pwned\n##[error]pwned [a](javascript:1)';
    leaveArtifact(
      buildVerdict([buildRow({ case: `${nasty}/cpu/b1/c1`, reason: nasty, status: 'inconclusive' })], {
        outcome: 'no-verdict',
        notes: [{ code: 'x', text: nasty, headline: true }],
      }),
    );
    await publishRun();
    for (const text of [forkComments()[0]?.body ?? '', await world.summary()]) {
      expect(text).not.toMatch(/@team/);
      expect(text).not.toMatch(/<img/);
      expect(text.slice(1).includes('<!-- model-gate -->')).toBe(false);
      expect(text).not.toMatch(/(?<!\\)\]\(javascript:/);
    }
    expect(lastStatus()?.description).not.toMatch(/\n/);
    expect(world.printed()).not.toMatch(/^\s*(::error::pwned|##\[error\])/m);
  });
});

describe('publishing for a fork', () => {
  it.each<[string, RegExp]>([
    ['the run', /\/actions\/runs\/555$/],
    ['the pull request', /\/commits\/f+\/pulls$/],
  ])('is no verdict naming the permissions where %s may not be read', async (_, path) => {
    openFork();
    leaveArtifact(PASS);
    world.server.plan({ method: 'GET', path, answer: 403 });
    await expect(publishRun()).rejects.toThrow(
      /may not do this \(403\): give the job "permissions: actions: read, pull-requests: read"/,
    );
  });

  it.each<[string, Fault]>([
    ['may not be listed', { path: /\/artifacts$/, answer: 403 }],
    ['does not come', { path: /_blobs/, answer: 'drop', times: 9 }],
    ['breaks off half-way', { path: /_blobs/, answer: 'cut' }],
  ])('is no verdict on the head where the artifact %s', async (_, fault) => {
    openFork();
    leaveArtifact(PASS);
    world.server.plan(fault);
    expect(await publishRun()).toMatchObject({ outcome: 'no-verdict' });
    expect(lastStatus()).toMatchObject({
      state: 'error',
      description: expect.stringMatching(
        /^no verdict: the (result of the measuring run could not be read|download of the artifact broke off)/,
      ),
    });
  });

  it('repeats a download that breaks off once', async () => {
    openFork();
    leaveArtifact(PASS);
    world.server.plan({ path: /_blobs/, answer: 'drop' });
    expect(await publishRun()).toMatchObject({ outcome: 'pass' });
  });
});
