import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { RefusedError } from '../../src/errors.ts';
import { localTrigger, type Trigger, type TriggerOptions, withPullRequest } from '../../src/inputs/trigger.ts';
import { readTrigger } from '../../src/inputs/trigger-event.ts';

const FOLDER = '__tests__/fixtures/events';
const HEAD = '1f0c2a6f5d6b7c8e9a0b1c2d3e4f5a6b7c8d9e0f';
const BASE = '9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b';
const RUN_SHA = 'c'.repeat(40);
const USUAL: TriggerOptions = { baseRef: null, prNumber: null, launch: false };

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(`${FOLDER}/${name}.json`, 'utf8'));
}

function trigger(name: string, options: Partial<TriggerOptions> = {}, actor = 'mira'): Trigger {
  const environment = { GITHUB_EVENT_NAME: name.split('.')[0], GITHUB_SHA: RUN_SHA, GITHUB_ACTOR: actor };
  return readTrigger(fixture(name), environment, { ...USUAL, ...options });
}

const BOTH = { status: true, comment: true };
const STATUS = { status: true, comment: false };
const NEITHER = { status: false, comment: false };
const PULL_BASE = { kind: 'pull-request', headSha: HEAD, baseSha: BASE };
const PULL: Partial<Trigger> = {
  kind: 'pull-request',
  headSha: HEAD,
  pullRequest: 42,
  baseSource: PULL_BASE as Trigger['baseSource'],
  policySource: 'head',
  isFork: false,
  publishes: BOTH,
};
const FORK: Partial<Trigger> = { ...PULL, isFork: true, policySource: 'base', publishes: NEITHER };
const LAST_ACCEPTED: Trigger['baseSource'] = { kind: 'accepted', before: null, orPreviousTag: true };

const EXPECTED: Record<string, Partial<Trigger>> = {
  'pull_request.opened': { ...PULL, action: 'opened' },
  'pull_request.synchronize': { ...PULL, action: 'synchronize' },
  'pull_request.reopened': { ...PULL, action: 'reopened' },
  'pull_request.labeled': { ...PULL, action: 'labeled' },
  'pull_request.fork': FORK,
  'pull_request.fork-deleted': FORK,
  merge_group: {
    kind: 'merge-group',
    headSha: HEAD,
    pullRequest: null,
    baseSource: { kind: 'merge-group', baseSha: BASE },
    publishes: STATUS,
  },
  'push.main': {
    kind: 'push',
    headSha: HEAD,
    baseSource: { kind: 'accepted', before: BASE, orPreviousTag: false },
    publishes: STATUS,
    mayStoreBaseline: true,
  },
  'push.main-forced': { baseSource: { kind: 'accepted', before: BASE, orPreviousTag: false }, mayStoreBaseline: true },
  'push.new-branch': { baseSource: { kind: 'accepted', before: null, orPreviousTag: false }, mayStoreBaseline: false },
  'push.tag': { baseSource: LAST_ACCEPTED, mayStoreBaseline: false },
  schedule: { kind: 'schedule', headSha: null, baseSource: LAST_ACCEPTED, publishes: STATUS, isLaunch: false },
  'workflow_dispatch.main': { kind: 'dispatch', headSha: null, pullRequest: null, baseSource: LAST_ACCEPTED },
  'workflow_dispatch.ref': { kind: 'dispatch', headSha: null, baseSource: { kind: 'default-branch', branch: 'main' } },
  'workflow_run.fork': {
    kind: 'workflow-run',
    headSha: HEAD,
    pullRequest: null,
    needsPullRequest: true,
    measures: false,
    policySource: 'base',
    publishes: BOTH,
    sourceRun: { id: 8123456789, headSha: HEAD, headBranch: 'faster-interaction', headRepository: 'mira/ranking' },
  },
  'release.published': {
    kind: 'release',
    headSha: RUN_SHA,
    isLaunch: true,
    baseSource: LAST_ACCEPTED,
    publishes: STATUS,
  },
  deployment: { kind: 'deployment', headSha: HEAD, isLaunch: true, baseSource: LAST_ACCEPTED, publishes: STATUS },
};

const REFUSED: Record<string, string> = {
  'pull_request.closed': 'take `closed` out of the `types`',
  'pull_request_target.opened': 'it would run files of the pull request with write access and secrets',
  'push.deleted': 'the push deleted "refs/heads/try"',
  'workflow_run.push': 'about a run of "push", which has no pull request',
  'release.deleted': 'a release that was deleted',
  'issue_comment.created': 'the event "issue_comment" is not one the gate knows: use pull_request, merge_group',
};

describe('what an event asks for', () => {
  it.each(Object.entries(EXPECTED))('%s', (name, expected) => {
    expect(trigger(name)).toMatchObject(expected);
  });

  it.each(Object.entries(REFUSED))('%s is refused with the reason', (name, reason) => {
    expect(() => trigger(name)).toThrow(RefusedError);
    expect(() => trigger(name)).toThrow(reason);
  });

  it('covers every event fixture', () => {
    const covered = [...Object.keys(EXPECTED), ...Object.keys(REFUSED), 'workflow_dispatch.pr-number'];
    expect(
      readdirSync(FOLDER)
        .map((file) => file.replace('.json', ''))
        .sort(),
    ).toEqual(covered.sort());
  });

  it.each(Object.keys(EXPECTED))('%s takes base from base-ref where that is given', (name) => {
    expect(trigger(name, { baseRef: 'v1' }).baseSource).toEqual({ kind: 'ref', ref: 'v1' });
  });

  it('is a launch where the run asks for one', () => {
    expect(trigger('push.main', { launch: true }).isLaunch).toBe(true);
  });

  it('expects to write nothing with the read-only token of dependabot', () => {
    expect(trigger('pull_request.opened', {}, 'dependabot[bot]')).toMatchObject({ publishes: NEITHER, isFork: false });
  });

  it('refuses a pull request number where the event is about something else', () => {
    expect(() => trigger('push.main', { prNumber: 42 })).toThrow('the input pr-number goes with workflow_dispatch');
  });

  it.each([
    ['no object', null, 'the payload of pull_request is not as GitHub sends it'],
    [
      'a head that is no commit id',
      {
        action: 'opened',
        pull_request: {
          number: 1,
          head: { sha: '--upload-pack=x', repo: null },
          base: { sha: BASE, repo: { full_name: 'a/b' } },
        },
      },
      'pull_request.head.sha is not a commit id',
    ],
  ])('refuses a payload with %s', (_, payload, reason) => {
    expect(() => readTrigger(payload, { GITHUB_EVENT_NAME: 'pull_request' }, USUAL)).toThrow(reason);
  });

  it('names an unknown event in one line whatever it is called', () => {
    expect(() => readTrigger({}, { GITHUB_EVENT_NAME: 'x\n::error::y' }, USUAL)).toThrow('"x\\n::error::y"');
    expect(() => readTrigger({}, {}, USUAL)).toThrow('the event "" is not one the gate knows');
  });

  it('in a terminal is the merge base with the default branch, and posts nothing', () => {
    expect(localTrigger(USUAL)).toMatchObject({
      kind: 'local',
      baseSource: { kind: 'default-branch', branch: null },
      publishes: NEITHER,
    });
  });
});

describe('a pull request that is looked up', () => {
  const own = { full_name: 'acme/ranking' };
  const pull = (head: string, repo: { full_name: string } | null) => ({
    number: 42,
    head: { sha: head, repo },
    base: { sha: BASE, repo: own },
  });

  it('gives a dispatched run its head and base', () => {
    const dispatched = trigger('workflow_dispatch.pr-number', { prNumber: 42 });
    expect(dispatched).toMatchObject({ needsPullRequest: true, pullRequest: 42, publishes: BOTH });
    expect(withPullRequest(dispatched, pull(HEAD, own))).toMatchObject({
      headSha: HEAD,
      needsPullRequest: false,
      baseSource: PULL_BASE,
    });
  });

  it('is not measured on a dispatch where it comes from a fork', () => {
    const dispatched = trigger('workflow_dispatch.pr-number', { prNumber: 42 });
    expect(() => withPullRequest(dispatched, pull(HEAD, { full_name: 'mira/ranking' }))).toThrow(
      'forks are measured only under pull_request',
    );
  });

  it('is posted to by the second stage of a fork', () => {
    const posted = withPullRequest(trigger('workflow_run.fork'), pull(HEAD, { full_name: 'mira/ranking' }));
    expect(posted).toMatchObject({
      pullRequest: 42,
      headSha: HEAD,
      isFork: true,
      policySource: 'base',
      publishes: BOTH,
      measures: false,
    });
  });

  it('keeps the comment of its newer head where it has moved on', () => {
    const posted = withPullRequest(trigger('workflow_run.fork'), pull('e'.repeat(40), null));
    expect(posted).toMatchObject({ headSha: HEAD, publishes: STATUS });
  });
});
