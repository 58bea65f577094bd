import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { strToU8, zipSync } from 'fflate';
import type { Fault } from '../fakes/github-server.ts';
import { addPull, type PullState } from '../fakes/github-server-state.ts';
import { buildRegression } from '../fakes/verdict-builder.ts';
import { FORK_HEAD, FORK_PULL, type ForkWorld, openForkWorld, PASS } from './fork-world.ts';

let world: ForkWorld;
beforeEach(async () => {
  world = await openForkWorld();
});
afterEach(async () => {
  expect(world.server.violations).toEqual([]);
  await world.close();
});

describe("a fork's result", () => {
  it('is posted on its pull request and its head commit', async () => {
    world.openFork();
    world.leaveArtifact(PASS);
    expect(await world.publishRun()).toMatchObject({
      outcome: 'pass',
      pullNumber: FORK_PULL,
      verdict: PASS,
      notes: [],
    });
    expect(world.lastStatus()).toMatchObject({ sha: FORK_HEAD, state: 'success', context: 'model-gate' });
    expect(world.forkComments()).toHaveLength(1);
    expect(world.forkComments()[0]?.body).toContain("Measured by the pull request's own run");
  });

  it('fails as it would have in the repository itself', async () => {
    world.openFork();
    world.leaveArtifact(buildRegression());
    expect(await world.publishRun()).toMatchObject({ outcome: 'fail' });
    expect(world.lastStatus()).toMatchObject({ state: 'failure', description: expect.stringContaining('regression') });
  });

  it('is updated by the attempts of the measuring run, not by those of the publishing one', async () => {
    world.openFork();
    world.leaveArtifact(PASS);
    await world.publishRun();
    await world.publishRun();
    expect(world.forkComments()).toHaveLength(1);
    expect(world.forkComments()[0]?.body).not.toContain('attempt 2');
  });

  it('counts of several artifacts the newest, and never one of another name', async () => {
    world.openFork();
    world.leaveArtifact(buildRegression());
    world.leaveArtifact(PASS);
    world.leaveArtifact(buildRegression(), 'model-gate-results-old');
    expect(await world.publishRun()).toMatchObject({ outcome: 'pass' });
  });
});

describe('where a result goes', () => {
  it('is never told by the artifact', async () => {
    world.openFork();
    const forged = {
      ...PASS,
      pullNumber: 7,
      pull_request: { number: 7 },
      head: { commit: 'a'.repeat(40), session: 's' },
    };
    world.leaveArtifact(zipSync({ 'verdict.json': strToU8(JSON.stringify(forged)), 'pr-number.txt': strToU8('7') }));
    await world.publishRun();
    expect(world.comments()).toEqual([]);
    expect(world.server.state.statuses.map(({ sha }) => sha)).toEqual([FORK_HEAD]);
  });

  it('is no pull request of another fork with the same branch name', async () => {
    world.openFork({ pull: { headSha: '9'.repeat(40) } });
    addPull(world.server.state, {
      number: 13,
      headSha: FORK_HEAD,
      headRef: 'patch-1',
      headOwner: 'eve',
      headRepositoryId: 3003,
    });
    world.leaveArtifact(PASS);
    expect(await world.publishRun()).toMatchObject({ pullNumber: null });
    expect(world.server.state.comments).toEqual([]);
  });

  it.each<[string, Partial<PullState>, string]>([
    ['moved on', { headSha: '9'.repeat(40) }, 'the pull request has a newer head'],
    ['closed', { state: 'closed' }, 'no open pull request has this head'],
  ])('is no pull request that has %s, nor a green status', async (_, pull, reason) => {
    world.openFork({ pull });
    world.leaveArtifact(PASS);
    const { pullNumber, notes } = await world.publishRun();
    expect(pullNumber).toBeNull();
    expect(notes).toMatchObject([{ text: `no comment: ${reason}` }]);
    expect(world.forkComments()).toEqual([]);
    expect(world.lastStatus()).toMatchObject({ state: 'error' });
  });

  it('is refused for a run that a pull request did not start', async () => {
    world.openFork({ run: { event: 'push' } });
    world.leaveArtifact(PASS);
    await expect(world.publishRun()).rejects.toThrow(/was started by push: only pull_request runs are published/);
    expect(world.server.state.statuses).toEqual([]);
  });
});

describe('publishing for a fork', () => {
  it.each<[string, RegExp]>([
    ['the run', /\/actions\/runs\/555$/],
    ['the pull request', /\/pulls$/],
  ])('is no verdict naming the permissions where %s may not be read', async (_, path) => {
    world.openFork();
    world.leaveArtifact(PASS);
    world.server.plan({ method: 'GET', path, answer: 403 });
    await expect(world.publishRun()).rejects.toThrow(
      /may not do this \(403\): give the job "permissions: actions: read, pull-requests: read"/,
    );
  });

  it.each<[string, Fault]>([
    ['may not be listed', { path: /\/artifacts$/, answer: 403 }],
    ['does not come', { path: /_blobs/, answer: 'drop', times: 9 }],
    ['breaks off half-way', { path: /_blobs/, answer: 'cut' }],
  ])('is no verdict on the head where the artifact %s', async (_, fault) => {
    world.openFork();
    world.leaveArtifact(PASS);
    world.server.plan(fault);
    expect(await world.publishRun()).toMatchObject({ outcome: 'no-verdict' });
    expect(world.lastStatus()).toMatchObject({
      state: 'error',
      description: expect.stringMatching(
        /^no verdict: the (result of the measuring run could not be read|download of the artifact broke off)/,
      ),
    });
  });

  it('repeats a download that breaks off once', async () => {
    world.openFork();
    world.leaveArtifact(PASS);
    world.server.plan({ path: /_blobs/, answer: 'drop' });
    expect(await world.publishRun()).toMatchObject({ outcome: 'pass' });
  });
});
