import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import { parseBaselineAt, serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import { baselinePath } from '../../src/baseline/baseline-path.ts';
import type { AddressedChange, BaselineStore } from '../../src/baseline/baseline-store.ts';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import { BRANCH, createRemote, git, type Remote, snapshot, storeOf } from './git-remote.ts';
import { accepted, chainedBaseline, HEADER } from './samples.ts';

let remote: Remote;
beforeEach(() => {
  remote = createRemote();
});
afterEach(() => remote.remove());

const add = (session: string, model = HEADER.model): AddressedChange => {
  const header = { ...HEADER, model };
  return { address: header, change: (current) => appendSessions(current, header, [accepted({ session })]) };
};
const sessionsOf = async (store: BaselineStore, model = HEADER.model) =>
  (await store.read({ ...HEADER, model }))?.sessions.map((entry) => entry.session) ?? null;
const remoteFile = (model = HEADER.model) =>
  git(remote.bare, 'show', `${BRANCH}:${baselinePath({ ...HEADER, model })}`);
const writeRemote = (text: string): void => {
  const clone = remote.clone(`writer-${text.length}`);
  git(clone, 'checkout', '--quiet', '--orphan', BRANCH);
  git(clone, 'rm', '-rf', '--quiet', '.');
  mkdirSync(join(clone, 'baselines', HEADER.model), { recursive: true });
  writeFileSync(join(clone, baselinePath(HEADER)), text);
  git(clone, 'add', '.');
  git(clone, 'commit', '--quiet', '-m', 'by hand');
  git(clone, 'push', '--quiet', 'origin', BRANCH);
};

describe('branch store', () => {
  it('has no baseline before the first write, then shows it to every clone', async () => {
    const store = await storeOf(remote.clone('a'));
    expect(await sessionsOf(store)).toBeNull();
    expect(await store.files(null)).toEqual([]);
    const report = await store.update([add('s0')], 'Store session s0');
    expect(report).toMatchObject({ written: [baselinePath(HEADER)], attempts: 1 });
    expect(await sessionsOf(store)).toEqual(['s0']);
    expect(await sessionsOf(await storeOf(remote.clone('b')))).toEqual(['s0']);
  });

  it('is an orphan branch whose commits hold nothing but baselines', async () => {
    const store = await storeOf(remote.clone('a'));
    await store.update([add('s0')], 'Store session s0');
    await store.update([add('s1'), add('s1', 'org/name')], 'Store session s1');
    expect(git(remote.bare, 'rev-list', '--count', BRANCH)).toBe('2');
    expect(git(remote.bare, 'rev-list', '--count', BRANCH, '--not', 'main')).toBe('2');
    expect(git(remote.bare, 'ls-tree', '-r', '--name-only', BRANCH).split('\n')).toEqual([
      'baselines/org%2Fname/9a1b2c3d4e5f.json',
      'baselines/ranker/9a1b2c3d4e5f.json',
    ]);
    expect(git(remote.bare, 'log', '-1', '--format=%an <%ae> %aI %s', BRANCH)).toBe(
      'Model Gate <model-gate@localhost> 2026-12-01T10:00:00+00:00 Store session s1',
    );
  });

  it('writes nothing where everything is there already', async () => {
    const store = await storeOf(remote.clone('a'));
    const { commit } = await store.update([add('s0')], 'Store session s0');
    expect(await store.update([add('s0')], 'again')).toEqual({ written: [], attempts: 0, commit });
  });

  it('deletes a baseline where the change gives null', async () => {
    const store = await storeOf(remote.clone('a'));
    await store.update([add('s0'), add('s0', 'other')], 'Store');
    await store.update([{ address: { ...HEADER, model: 'other' }, change: () => null }], 'Prune');
    expect((await store.files(null)).map((file) => file.path)).toEqual([baselinePath(HEADER)]);
    expect(await store.files('other')).toEqual([]);
  });

  it('takes in what another writer stored since it looked', async () => {
    const [a, b] = [await storeOf(remote.clone('a')), await storeOf(remote.clone('b'))];
    await a.update([add('s0')], 'a');
    expect(await sessionsOf(b)).toEqual(['s0']);
    await a.update([add('s1')], 'a');
    await b.update([add('s2')], 'b');
    expect(await sessionsOf(b)).toEqual(['s0', 's1', 's2']);
  });
});

describe('the clone it works in (G6, G8)', () => {
  const dirty = (clone: string): void => {
    writeFileSync(join(clone, 'staged.txt'), 'staged');
    git(clone, 'add', 'staged.txt');
    writeFileSync(join(clone, 'staged.txt'), 'and changed again');
    writeFileSync(join(clone, 'untracked.txt'), 'untracked');
  };
  const useStore = async (clone: string, session: string): Promise<void> => {
    const before = snapshot(clone);
    const store = await storeOf(clone);
    await store.read(HEADER);
    await store.update([add(session)], 'Store');
    expect(await sessionsOf(store)).toContain(session);
    expect(snapshot(clone)).toEqual(before);
    expect(existsSync(join(clone, '.git', 'index.lock'))).toBe(false);
  };

  it('keeps a dirty work tree, its index and its branches', async () => {
    const clone = remote.clone('a');
    dirty(clone);
    await useStore(clone, 's0');
    await (await storeOf(remote.clone('b'))).update([add('other')], 'b');
    await useStore(clone, 's1');
  });

  it('keeps the store branch where that is checked out, dirty, behind and with commits of its own', async () => {
    await (await storeOf(remote.clone('writer'))).update([add('s0')], 'first');
    const clone = remote.clone('a');
    git(clone, 'checkout', '--quiet', BRANCH);
    dirty(clone);
    await useStore(clone, 's1');
    git(clone, 'commit', '--quiet', '-am', 'a commit nobody pushed');
    await useStore(clone, 's2');
    expect(await sessionsOf(await storeOf(remote.clone('b')))).toEqual(['s0', 's1', 's2']);
  });

  it.each([
    ['a shallow clone', ['--depth=1'], 'true'],
    ['a complete clone', [], 'false'],
    ['a clone of one branch', ['--single-branch', '--branch=main'], 'false'],
    ['a clone without file contents', ['--filter=blob:none', '--no-checkout'], 'false'],
  ])('works in %s and leaves its depth', async (_name, options, shallow) => {
    git(remote.bare, 'config', 'uploadpack.allowFilter', 'true');
    const first = await storeOf(remote.clone('writer'));
    await first.update([add('s0')], 'first');
    await first.update([add('s1'), add('s1', 'other')], 'second');
    const clone = remote.clone('a', ...options);
    await useStore(clone, 's2');
    expect(git(clone, 'rev-parse', '--is-shallow-repository')).toBe(shallow);
    expect(await sessionsOf(first, 'other')).toEqual(['s1']);
    await first.update([add('s3')], 'third');
    expect(await sessionsOf(first)).toEqual(['s0', 's1', 's2', 's3']);
  });

  it('serves several jobs in one clone at once', async () => {
    const clone = remote.clone('a');
    await (await storeOf(remote.clone('writer'))).update([add('first')], 'first');
    const before = snapshot(clone);
    const sessions = ['s0', 's1', 's2', 's3', 's4', 's5'];
    await Promise.all(sessions.map(async (session) => (await storeOf(clone)).update([add(session)], session)));
    expect((await sessionsOf(await storeOf(clone)))?.sort()).toEqual(['first', ...sessions]);
    expect(snapshot(clone)).toEqual(before);
  });

  it('works from a detached head, a linked work tree and a subfolder', async () => {
    const clone = remote.clone('a');
    git(clone, 'checkout', '--quiet', '--detach', 'HEAD~1');
    await useStore(clone, 's0');
    git(clone, 'worktree', 'add', '--quiet', '../linked', 'main');
    const linked = join(remote.folder, 'linked');
    await (await storeOf(linked)).update([add('s1')], 'linked');
    mkdirSync(join(clone, 'sub'));
    await (await storeOf(join(clone, 'sub'))).update([add('s2')], 'sub');
    expect(await sessionsOf(await storeOf(clone))).toEqual(['s0', 's1', 's2']);
  });

  it('is not led astray by the user’s settings and hooks', async () => {
    const clone = remote.clone('a');
    for (const setting of [
      'push.followTags=true',
      'core.splitIndex=true',
      'fetch.prune=true',
      'push.default=matching',
      'commit.gpgSign=true',
      'core.autocrlf=true',
    ]) {
      git(clone, 'config', ...(setting.split('=') as [string, string]));
    }
    git(clone, 'tag', '-a', 'v1', '-m', 'v1');
    mkdirSync(join(clone, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(clone, '.git', 'hooks', 'pre-push'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await useStore(clone, 's0');
    expect(git(remote.bare, 'tag')).toBe('');
    expect(remoteFile()).not.toContain('\r');
  });
});

describe('what it never overwrites (G15)', () => {
  const good = serialiseBaseline(chainedBaseline(3));
  it.each([
    ['a truncated file', good.slice(0, good.length / 2), /not valid JSON/],
    ['an empty file', '', /is empty/],
    ['a newer schema', good.replace('baseline@1', 'baseline@9'), /newer Model Gate/],
    ['a file about another model', good.replace('"model":"ranker"', '"model":"Ranker"'), /is about model "Ranker"/],
  ])('%s', async (_name, text, message) => {
    writeRemote(text);
    const before = git(remote.bare, 'rev-parse', BRANCH);
    const store = await storeOf(remote.clone('a'));
    await expect(store.read(HEADER)).rejects.toThrow(RefusedError);
    await expect(store.update([add('x', 'other'), add('x')], 'write')).rejects.toThrow(message);
    expect(git(remote.bare, 'rev-parse', BRANCH)).toBe(before);
    expect((await store.files(null)).map((file) => file.text)).toEqual([text]);
  });
});

describe('faults', () => {
  it('says that the remote can’t be reached instead of "no baseline"', async () => {
    const clone = remote.clone('a');
    git(clone, 'remote', 'set-url', 'origin', `file://${remote.folder}/gone.git`);
    const store = await storeOf(clone);
    await expect(store.read(HEADER)).rejects.toThrow(NoVerdictError);
    await expect(store.update([add('s')], 'x')).rejects.toThrow(/cannot read branch model-gate-baselines of origin/);
  });

  it.each(['', '-x', 'a..b', 'a b', 'refs/heads/x.lock', 'a~1'])('refuses the branch name %j', async (branch) => {
    await expect(storeOf(remote.clone('a'), { branch })).rejects.toThrow(RefusedError);
  });

  it('gives up after its tries, saying so', async () => {
    // Plays a writer who is always faster: the branch moves while our push is being taken in.
    const hook = '#!/bin/sh\ngit update-ref $1 $(echo $3 | git commit-tree main^{tree} -p main)\n';
    writeFileSync(join(remote.bare, 'hooks', 'update'), hook, { mode: 0o755 });
    const store = await storeOf(remote.clone('a'), { maxAttempts: 2 });
    await expect(store.update([add('s0')], 'x')).rejects.toThrow(/was not stored on .* in 2 tries/);
  });
});

it('parses what it wrote', async () => {
  await (await storeOf(remote.clone('a'))).update([add('s0')], 'Store');
  expect(parseBaselineAt(remoteFile(), HEADER, 'x').sessions).toHaveLength(1);
});
