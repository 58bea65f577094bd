import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parseMarker } from '../../src/publish/comment-marker.ts';
import { addComment, BOT } from '../fakes/github-server-state.ts';
import { HEAD, openWorld, PULL, publicationOf, type World } from './publishing.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(async () => {
  expect(world.server.violations).toEqual([]);
  await world.close();
});

describe('publishing a verdict', () => {
  it('sets the status pending first, then the verdict, with the run behind it', async () => {
    const publisher = world.publisherOf();
    expect(await publisher.announce()).toEqual([]);
    await publisher.publish(
      publicationOf({ outcome: 'fail', state: 'failure', headline: '1 regression in 12 checks' }),
    );
    expect(world.server.state.statuses).toMatchObject([
      { sha: HEAD, state: 'pending', context: 'model-gate' },
      {
        sha: HEAD,
        state: 'failure',
        context: 'model-gate',
        description: '1 regression in 12 checks',
        targetUrl: 'https://github.test/acme/ranking/actions/runs/100',
      },
    ]);
  });

  it('leaves one comment after two runs, with the attempts on this head counted', async () => {
    const { commentUrl } = await world.publisherOf().publish(publicationOf({ outcome: 'no-verdict' }));
    const second = await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'second' }));
    expect(second).toEqual({ commentUrl, notes: [] });
    expect(world.comments()).toHaveLength(1);
    expect(world.bodies()[0]).toMatch(/\nsecond\n\n<sub>attempt 2 on this head; earlier: no verdict<\/sub>$/);
  });

  it('starts counting attempts anew on a new head', async () => {
    await world.publisherOf().publish(publicationOf({ outcome: 'fail' }));
    const next = 'c'.repeat(40);
    world.push(next);
    await world.publisherOf({ headSha: next, runId: '101' }).publish(publicationOf({ commentBody: 'new head' }));
    expect(world.bodies()).toEqual([expect.stringMatching(/\nnew head$/)]);
  });

  it('writes the summary and hands the comment page back', async () => {
    const { commentUrl } = await world.publisherOf().publish(publicationOf());
    expect(commentUrl).toMatch(/\/acme\/ranking\/pull\/7#issuecomment-\d+$/);
    expect(await world.summary()).toBe('# Model Gate\n\nall is well\n\n');
  });

  it('brings a body of 200 kB, shortened, and a summary of 1.2 MB (G2, G3)', async () => {
    const commentBody = `### the verdict\n${'| a row |\n'.repeat(20_000)}`;
    const summary = `# the verdict\n${'| a row |\n'.repeat(120_000)}`;
    expect(await world.publisherOf().publish(publicationOf({ commentBody, summary }))).toMatchObject({ notes: [] });
    expect(world.bodies()).toEqual([expect.stringMatching(/^<!--.*\n### the verdict\n[\s\S]*… shortened/)]);
    expect(await world.summary()).toMatch(/^# the verdict\n[\s\S]*… shortened/);
    expect((await world.summary()).length).toBeLessThan(1024 * 1024);
  });

  it('publishes a merge group on its head commit without a comment (G10)', async () => {
    world.server.state.commits.add('d'.repeat(40));
    const target = { owner: 'acme', repo: 'ranking', headSha: 'd'.repeat(40), pullNumber: null };
    expect(await world.publisherOf({ target }).publish(publicationOf())).toEqual({ commentUrl: null, notes: [] });
    expect(world.server.state.statuses).toMatchObject([{ sha: 'd'.repeat(40), state: 'success' }]);
    expect(world.server.requests).toHaveLength(1);
  });

  it('keeps two gates of one repository apart by their status context', async () => {
    await world.publisherOf().publish(publicationOf());
    await world.publisherOf({ statusContext: 'model gate -->|x' }).publish(publicationOf());
    await world.publisherOf({ statusContext: 'model gate -->|x', attempt: 2 }).publish(publicationOf());
    expect(world.bodies().map((body) => parseMarker(body)?.context)).toEqual(['model-gate', 'model gate -->|x']);
  });
});

describe('whose comment it is', () => {
  it('finds its own behind 235 others and never adds a second (G12)', async () => {
    for (let index = 0; index < 120; index++) addComment(world.server.state, PULL, 'ann', `remark ${index}`);
    await world.publisherOf().publish(publicationOf());
    for (let index = 0; index < 115; index++) addComment(world.server.state, PULL, 'bob', `reply ${index}`);
    await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'again' }));
    expect(world.comments()).toHaveLength(236);
    expect(world.bodies().filter((body) => parseMarker(body))).toEqual([expect.stringContaining('again')]);
  });

  it('touches no comment of another author that bears its marker', async () => {
    await world.publisherOf().publish(publicationOf());
    const forged = addComment(world.server.state, PULL, 'mallory', world.bodies()[0] ?? '');
    await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'again' }));
    expect(world.comments()).toHaveLength(2);
    expect(forged.edits).toBe(0);
  });

  it('touches no comment of its own author that only quotes the marker', async () => {
    await world.publisherOf().publish(publicationOf());
    const quote = addComment(world.server.state, PULL, BOT, `look:\n${world.bodies()[0]}`);
    await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'again' }));
    expect(world.comments()).toHaveLength(2);
    expect(quote.edits).toBe(0);
  });

  it('knows itself under the name of an own GitHub App', async () => {
    world.server.state.tokens.set('ghs_app', {
      login: 'ranking-gate[bot]',
      permissions: new Set(['pull-requests: write', 'pull-requests: read', 'statuses: write']),
    });
    for (const attempt of [1, 2]) await world.publisherOf({ token: 'ghs_app', attempt }).publish(publicationOf());
    expect(world.comments()).toMatchObject([{ login: 'ranking-gate[bot]', edits: 1 }]);
  });

  it('still leaves one comment where GitHub will not say who the token is', async () => {
    world.server.state.tokens.set('ghs_app', {
      login: 'ranking-gate[bot]',
      permissions: new Set(['pull-requests: write', 'pull-requests: read', 'statuses: write']),
    });
    world.server.plan({ path: /graphql/, answer: 403, times: 2 });
    for (const attempt of [1, 2])
      await world.publisherOf({ token: 'ghs_app', attempt }).publish(publicationOf({ commentBody: `try ${attempt}` }));
    expect(world.bodies()).toEqual([expect.stringMatching(/try 2\n\n<sub>attempt 2 on this head; earlier: pass/)]);
  });

  it('removes doubles and keeps the newest', async () => {
    await world.publisherOf().publish(publicationOf());
    addComment(world.server.state, PULL, BOT, world.bodies()[0] ?? '');
    addComment(world.server.state, PULL, BOT, world.bodies()[0] ?? '');
    const newest = world.comments().at(-1)?.id;
    await world.publisherOf({ attempt: 2 }).publish(publicationOf({ commentBody: 'one' }));
    expect(world.comments()).toMatchObject([{ id: newest, body: expect.stringContaining('\none') }]);
  });
});

describe('runs that finish in any order', () => {
  const newer = 'e'.repeat(40);
  beforeEach(() => {
    world.push(newer);
  });

  it('keeps the newest head when the older run finishes last (G11)', async () => {
    await world
      .publisherOf({ headSha: newer, runId: '101' })
      .publish(publicationOf({ commentBody: 'of the newer head' }));
    await world
      .publisherOf({ runId: '100' })
      .publish(publicationOf({ outcome: 'fail', state: 'failure', commentBody: 'of the older head' }));
    expect(world.bodies()).toEqual([expect.stringContaining('of the newer head')]);
    expect(world.server.state.statuses).toMatchObject([
      { sha: newer, state: 'success' },
      { sha: HEAD, state: 'failure' },
    ]);
  });

  it('keeps it although the pull request cannot be read, by the order of the runs', async () => {
    world.server.plan({ method: 'GET', path: /\/pulls\/7$/, answer: 404, times: 9 });
    await world
      .publisherOf({ headSha: newer, runId: '101' })
      .publish(publicationOf({ commentBody: 'of the newer head' }));
    await world.publisherOf({ runId: '99', attempt: 3 }).publish(publicationOf({ commentBody: 'of the older head' }));
    expect(world.bodies()).toEqual([expect.stringContaining('of the newer head')]);
  });

  it('lets a re-run of the same head have the last word', async () => {
    await world.publisherOf({ headSha: newer, runId: '105' }).publish(publicationOf({ outcome: 'fail' }));
    await world
      .publisherOf({ headSha: newer, runId: '104', attempt: 2 })
      .publish(publicationOf({ commentBody: 're-run' }));
    expect(world.bodies()).toEqual([expect.stringMatching(/re-run\n\n<sub>attempt 2 on this head; earlier: fail/)]);
  });

  it('leaves one comment of two that were created at the same moment', async () => {
    let release = () => {};
    const bothArrived = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrived = 0;
    const hold = () => {
      if (++arrived === 2) release();
      return bothArrived;
    };
    world.server.plan({ method: 'POST', path: /comments$/, answer: 'normal', times: 2, hold });
    const publishers = ['101', '102'].map((runId) => world.publisherOf({ headSha: newer, runId }));
    await Promise.all(publishers.map((publisher) => publisher.publish(publicationOf())));
    expect(world.sent('POST', /comments$/)).toHaveLength(2);
    expect(world.comments()).toHaveLength(1);
  });
});
