import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import type { FileState, PullState } from '../fakes/github-server-state.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { FORK_HEAD, FORK_PULL, type ForkWorld, openForkWorld, PASS } from './fork-world.ts';

let world: ForkWorld;
beforeEach(async () => {
  world = await openForkWorld();
});
afterEach(async () => {
  expect(world.server.violations).toEqual([]);
  await world.close();
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
    world.openFork({ pull });
    world.leaveArtifact(PASS);
    expect(await world.publishRun()).toMatchObject({ outcome: 'no-verdict' });
    expect(world.lastStatus()).toMatchObject({
      state: 'error',
      description: expect.stringMatching(/^does not count, /),
    });
    expect(world.forkComments()[0]?.body).toContain('A maintainer has to run the gate.');
  });

  it('never turns it green when the head moves while it is looked at', async () => {
    world.openFork({ pull: { files: [] } });
    world.leaveArtifact(PASS);
    const hold = async () => {
      for (const pull of world.server.state.pulls.values())
        if (pull.number === FORK_PULL) pull.headSha = '9'.repeat(40);
    };
    world.server.plan({ method: 'GET', path: /\/pulls\/12\/files$/, answer: 'normal', hold });
    await world.publishRun();
    expect(world.lastStatus()).toMatchObject({ sha: FORK_HEAD, state: 'error' });
    expect(world.forkComments()).toEqual([]);
  });

  it('is trusted from a branch of the repository itself', async () => {
    const own = { headOwner: 'acme', headRepositoryId: 1001 };
    world.openFork({
      pull: { ...own, files: [{ filename: '.github/workflows/gate.yml', status: 'modified' }] },
      run: own,
    });
    world.leaveArtifact(PASS);
    await world.publishRun();
    expect(world.lastStatus()).toMatchObject({ state: 'success' });
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
    world.openFork();
    if (content) world.leaveArtifact(content);
    expect(await world.publishRun()).toMatchObject({ outcome, verdict: null });
    expect(world.lastStatus()).toMatchObject({
      sha: FORK_HEAD,
      state: 'error',
      description: expect.stringMatching(text),
    });
    expect(world.forkComments()).toHaveLength(1);
  });

  it('of another size than GitHub said is read only to the limit', async () => {
    world.openFork();
    world.leaveArtifact(new Uint8Array(40 * 1024 ** 2));
    Object.assign(world.server.state.artifacts[0] ?? {}, { claimedBytes: 1000 });
    expect(await world.publishRun()).toMatchObject({ outcome: 'refused' });
    expect(world.lastStatus()?.description).toMatch(/larger than 32 MiB/);
  });

  it('stays text in the comment, the status, the log and the summary', async () => {
    world.openFork();
    const nasty =
      '@team <img src=x onerror=alert(1)> <!-- model-gate --> | `x` \n::error::pwned\n##[error]pwned [a](javascript:1)';
    world.leaveArtifact(
      buildVerdict([buildRow({ case: `${nasty}/cpu/b1/c1`, reason: nasty, status: 'inconclusive' })], {
        outcome: 'no-verdict',
        notes: [{ code: 'x', text: nasty, headline: true }],
      }),
    );
    await world.publishRun();
    for (const text of [world.forkComments()[0]?.body ?? '', await world.summary()]) {
      expect(text).not.toMatch(/@team/);
      expect(text).not.toMatch(/<img/);
      expect(text.slice(1).includes('<!-- model-gate -->')).toBe(false);
      expect(text).not.toMatch(/(?<!\\)\]\(javascript:/);
    }
    expect(world.lastStatus()?.description).not.toMatch(/\n/);
    expect(world.printed()).not.toMatch(/^\s*(::error::pwned|##\[error\])/m);
  });
});
