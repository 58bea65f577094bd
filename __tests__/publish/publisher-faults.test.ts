import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { HURRIED } from '../../src/publish/retry-policy.ts';
import type { Fault } from '../fakes/github-server.ts';
import { openWorld, publicationOf, type World } from './publishing.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  await world.close();
});

const CREATE = { method: 'POST', path: /\/issues\/7\/comments$/ };
const UPDATE = { method: 'PATCH', path: /\/issues\/comments\/\d+$/ };
const STATUS = { method: 'POST', path: /\/statuses\// };

describe('a comment that GitHub does not take at once', () => {
  it.each<[string, Fault, number[]]>([
    ['502 before it was made', { ...CREATE, answer: 502 }, [1000]],
    ['502 after it was made', { ...CREATE, answer: 502, when: 'after' }, [1000]],
    ['a connection dropped before it was made', { ...CREATE, answer: 'drop' }, [1000]],
    ['a connection dropped after it was made', { ...CREATE, answer: 'drop', when: 'after' }, [1000]],
    ['three times 503 after it was made once', { ...CREATE, answer: 503, when: 'after', times: 3 }, [1000]],
    ['three times 503 before it was made', { ...CREATE, answer: 503, times: 3 }, [1000, 4000, 9000]],
    ['429 with retry-after', { ...CREATE, answer: 429, headers: { 'retry-after': '7' } }, [7000]],
    [
      '403 of the secondary limit',
      { ...CREATE, answer: 403, message: 'You have exceeded a secondary rate limit' },
      [60_000],
    ],
    [
      '403 of the secondary limit with retry-after',
      { ...CREATE, answer: 403, headers: { 'retry-after': '3' } },
      [3000],
    ],
    ['a list that fails once', { method: 'GET', path: /comments$/, answer: 500 }, [1000]],
  ])('is there exactly once after %s', async (_, fault, waits) => {
    world.server.plan(fault);
    const { commentUrl, notes } = await world.publisherOf().publish(publicationOf());
    expect(world.comments()).toHaveLength(1);
    expect(commentUrl).toMatch(/#issuecomment-\d+$/);
    expect(notes).toEqual([]);
    expect(world.waits).toEqual(waits);
    expect(world.server.violations).toEqual([]);
  });

  it('waits until the rate limit window ends where GitHub says when', async () => {
    const resetS = Math.floor(Date.now() / 1000) + 30;
    world.server.plan({
      ...CREATE,
      answer: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetS) },
    });
    await world.publisherOf().publish(publicationOf());
    expect(world.comments()).toHaveLength(1);
    expect(world.waits[0]).toBeGreaterThan(20_000);
    expect(world.waits[0]).toBeLessThanOrEqual(31_000);
  });

  it('does not wait an hour for a window', async () => {
    world.server.plan({
      ...CREATE,
      answer: 403,
      headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' },
    });
    const { notes } = await world.publisherOf().publish(publicationOf());
    expect(world.waits).toEqual([]);
    expect(notes).toMatchObject([
      { code: 'comment-not-written', text: expect.stringContaining("GitHub's rate limit is used up (403)") },
    ]);
  });

  it('is made anew where somebody deleted it between the list and the update', async () => {
    await world.publisherOf().publish(publicationOf());
    const hold = async () => void world.server.state.comments.splice(0);
    world.server.plan({ ...UPDATE, answer: 'normal', hold });
    await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'again' }));
    expect(world.bodies()).toEqual([expect.stringContaining('again')]);
  });

  it('is updated once although the answer to the first update was lost', async () => {
    await world.publisherOf().publish(publicationOf());
    world.server.plan({ ...UPDATE, answer: 'drop', when: 'after' });
    const { notes } = await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'again' }));
    expect(notes).toEqual([]);
    expect(world.bodies()).toEqual([
      expect.stringMatching(/again\n\n<sub>attempt 2 on this head; earlier: pass<\/sub>/),
    ]);
  });
});

describe('a token that may not write', () => {
  it.each<[string, Fault, string, RegExp]>([
    [
      'comments, 403',
      { ...CREATE, answer: 403 },
      'comment-not-written',
      /may not do this \(403\).*`?permissions: pull-requests: write.*job summary/,
    ],
    ['comments, 404', { ...CREATE, answer: 404 }, 'comment-not-written', /404.*pull-requests: write.*job summary/],
    [
      'statuses, 403',
      { ...STATUS, answer: 403 },
      'status-not-set',
      /statuses: write.*this job's own result is the gate/,
    ],
    ['statuses, 401', { ...STATUS, answer: 401 }, 'status-not-set', /invalid or has expired \(401\)/],
    [
      'statuses, 422',
      { ...STATUS, answer: 422, message: 'No commit found' },
      'status-not-set',
      /GitHub answered 422 \(No commit found/,
    ],
  ])('of %s is a warning that names the permission, in log and summary', async (_, fault, code, text) => {
    world.server.plan(fault);
    const { notes } = await world.publisherOf().publish(publicationOf());
    expect(notes).toMatchObject([{ code, text: expect.stringMatching(text) }]);
    expect(await world.summary()).toMatch(text);
    expect(await world.summary()).toContain('all is well');
    expect(world.printed()).toMatch(/^::warning title=Model Gate::/m);
    expect(world.waits).toEqual([]);
  });

  it('refuses as GitHub does: no write permission, no comment, no status', async () => {
    world.server.state.tokens.set('ghs_fork', {
      login: 'github-actions[bot]',
      permissions: new Set(['contents: read', 'pull-requests: read']),
    });
    const publisher = world.publisherOf({ token: 'ghs_fork' });
    expect(await publisher.announce()).toMatchObject([{ code: 'status-not-set' }]);
    const { commentUrl, notes } = await publisher.publish(publicationOf());
    expect(commentUrl).toBeNull();
    expect(notes.map(({ code }) => code)).toEqual(['status-not-set', 'comment-not-written']);
  });

  it('is no reason to fail where there is none at all', async () => {
    const { notes } = await world.publisherOf({ token: '' }).publish(publicationOf());
    expect(notes).toMatchObject([{ code: 'status-not-set', text: expect.stringContaining('no github-token') }]);
    expect(world.server.requests).toEqual([]);
  });
});

describe('GitHub out of order', () => {
  it('leaves the verdict in the summary when nothing answers', async () => {
    world.server.plan({ path: /./, answer: 'drop', times: 1000 });
    const { commentUrl, notes } = await world.publisherOf().publish(publicationOf());
    expect(commentUrl).toBeNull();
    expect(notes.map(({ text }) => text)).toEqual([
      expect.stringContaining('did not answer'),
      expect.stringContaining('did not answer'),
    ]);
    expect(await world.summary()).toContain('all is well');
  });

  it('gives up at once when the job is being cancelled', async () => {
    world.server.plan({ path: /./, answer: 502, times: 1000 });
    await world.publisherOf({ patience: HURRIED }).publish(publicationOf({ outcome: 'cancelled', state: 'error' }));
    expect(world.waits.reduce((sum, wait) => sum + wait, 0)).toBeLessThan(7500);
  });

  it('repeats a status that failed', async () => {
    world.server.plan({ ...STATUS, answer: 502, times: 2 });
    expect(await world.publisherOf().announce()).toEqual([]);
    expect(world.server.state.statuses).toHaveLength(1);
    expect(world.waits).toEqual([1000, 4000]);
  });

  it('keeps one comment when pages come in reverse', async () => {
    for (const attempt of [1, 2, 3]) await world.publisherOf({ attempt }).publish(publicationOf());
    world.server.state.commentOrder = 'reversed';
    await world.publisherOf({ attempt: 4 }).publish(publicationOf());
    expect(world.bodies()).toEqual([expect.stringContaining('attempt 4 on this head; earlier: pass, pass, pass')]);
  });
});

describe('GitHub Enterprise Server', () => {
  it('is spoken to under its own API address, viewer query included', async () => {
    const enterprise = await openWorld({ basePath: '/api/v3' });
    for (const attempt of [1, 2]) await enterprise.publisherOf({ attempt }).publish(publicationOf());
    expect(enterprise.comments()).toHaveLength(1);
    expect(enterprise.server.violations).toEqual([]);
    expect(enterprise.sent('POST', /^\/api\/graphql$/)).toHaveLength(2);
    await enterprise.close();
  });
});
