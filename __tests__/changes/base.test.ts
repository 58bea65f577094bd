import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { resolveBase } from '../../src/changes/base.ts';
import { openHistory } from '../../src/changes/git-history-edge.ts';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import type { BaseSource } from '../../src/inputs/trigger.ts';
import {
  checkOutAlone,
  clone,
  createRepository,
  publish,
  type Repository,
  temporaryFolder,
} from '../fakes/git-repository.ts';

const temporary = temporaryFolder();
afterAll(temporary.remove);

/** main: m0 … m2, then 70 more; feature: two commits on m2; `refs/pull/9/merge` merges both. */
let origin: Repository;
let url: string;
const commits: Record<string, string> = {};
let count = 0;

beforeAll(() => {
  origin = createRepository(temporary.path, 'origin');
  for (const name of ['m0', 'm1', 'm2']) commits[name] = origin.commit({ [name]: name });
  origin.git('tag', '--annotate', '--message', 'one', 'v1', commits['m1'] as string);
  origin.git('checkout', '--quiet', '-b', 'feature');
  for (const name of ['f1', 'f2']) commits[name] = origin.commit({ [name]: name });
  origin.git('checkout', '--quiet', 'main');
  const tree = origin.git('rev-parse', 'HEAD^{tree}');
  let tip = commits['m2'] as string;
  for (let i = 0; i < 70; i++) tip = origin.git('commit-tree', tree, '-p', tip, '-m', `main ${i}`);
  commits['tip'] = tip;
  origin.git('reset', '--quiet', '--hard', tip);
  const parents = ['-p', commits['tip'] as string, '-p', commits['f2'] as string];
  commits['merge'] = origin.git('commit-tree', tree, ...parents, '-m', 'Merge');
  origin.git('update-ref', 'refs/pull/9/merge', commits['merge']);
  origin.git('checkout', '--quiet', '--detach', commits['f2'] as string);
  origin.git('merge', '--quiet', '--no-edit', commits['tip'] as string);
  commits['updated'] = origin.git('rev-parse', 'HEAD');
  origin.git('branch', 'updated', commits['updated']);
  origin.git('checkout', '--quiet', 'main');
  url = publish(origin);
  origin.git('push', '--quiet', 'origin', 'refs/pull/9/merge');
});

function at(ref: string): Repository {
  return checkOutAlone(url, temporary.path, `alone-${count++}`, ref);
}

function full(branch: string): Repository {
  return clone(url, temporary.path, `full-${count++}`, '--branch', branch);
}

async function baseOf(
  repository: Repository,
  baseSource: BaseSource,
  accepted: string | null = null,
  headSha: string | null = null,
) {
  const head = repository.git('rev-parse', 'HEAD');
  return resolveBase({ baseSource, headSha }, head, accepted, openHistory(repository.root));
}

const c = (name: string) => commits[name] as string;

describe('the base of a pull request', () => {
  const source = (head: string, base = 'tip'): BaseSource => ({
    kind: 'pull-request',
    headSha: c(head),
    baseSha: c(base),
  });

  it('is the first parent of the merge commit, in a detached clone of one commit', async () => {
    const { base } = await baseOf(at('refs/pull/9/merge'), source('f2', 'm0'));
    expect(base).toEqual({ commit: c('tip'), describe: `${c('tip').slice(0, 7)} (first parent of the merge commit)` });
  });

  it('is the merge base where the head itself is checked out, however far back', async () => {
    expect((await baseOf(at('refs/heads/feature'), source('f2'))).base?.commit).toBe(c('m2'));
  });

  it('is not the first parent of a head that merged its base branch', async () => {
    expect((await baseOf(at('refs/heads/updated'), source('updated'))).base?.commit).toBe(c('tip'));
  });

  it('is no verdict where another commit is checked out', async () => {
    const found = baseOf(full('main'), source('f2'));
    await expect(found).rejects.toThrow(NoVerdictError);
    await expect(found).rejects.toThrow(
      `is neither the pull request's head ${c('f2').slice(0, 7)} nor its merge commit`,
    );
  });

  it('says what to set where a shallow clone has nobody to ask', async () => {
    const repository = at('refs/pull/9/merge');
    repository.git('remote', 'remove', 'origin');
    await expect(baseOf(repository, source('f2'))).rejects.toThrow('set `fetch-depth: 0` in actions/checkout');
  });
});

describe('the base of other events', () => {
  it('is base_sha of a merge group', async () => {
    const source: BaseSource = { kind: 'merge-group', baseSha: c('m2') };
    expect((await baseOf(at('refs/heads/feature'), source, null, c('f2'))).base?.commit).toBe(c('m2'));
    await expect(baseOf(at('refs/heads/main'), source, null, c('f2'))).rejects.toThrow(
      `the checked-out commit ${c('tip').slice(0, 7)} is not the event's ${c('f2').slice(0, 7)}`,
    );
  });

  const push = (before: string | null): BaseSource => ({ kind: 'accepted', before, orPreviousTag: false });

  it.each<[string, string | null, string, string]>([
    ['the newest accepted commit', 'm1', 'm0', 'm1'],
    ['the commit before the push where nothing was accepted', null, 'm0', 'm0'],
  ])('is %s on a push', async (_, accepted, before, expected) => {
    const { base, notes } = await baseOf(at('refs/heads/main'), push(c(before)), accepted && c(accepted));
    expect(base?.commit).toBe(c(expected));
    expect(notes).toEqual([]);
  });

  it('is the merge base, said so, where a force push threw the accepted commit out', async () => {
    const { base, notes } = await baseOf(at('refs/heads/main'), push(null), c('f1'));
    expect(base?.commit).toBe(c('m2'));
    expect(notes).toEqual([expect.objectContaining({ code: 'base-rewritten', headline: true })]);
    expect(notes[0]?.text).toContain(`compared with the merge base ${c('m2').slice(0, 7)}`);
  });

  it('falls back and says so where the accepted commit is gone altogether', async () => {
    const { base, notes } = await baseOf(full('feature'), push(null), 'f'.repeat(40));
    expect(base).toMatchObject({
      commit: c('m2'),
      describe: expect.stringContaining('merge base with the default branch'),
    });
    expect(notes.map((note) => note.code)).toEqual(['base-gone']);
  });

  it('is no verdict where all that could be compared with is gone', async () => {
    await expect(baseOf(full('main'), push('e'.repeat(40)), 'f'.repeat(40))).rejects.toThrow(NoVerdictError);
  });

  it('takes no refspec for an accepted commit', async () => {
    const repository = full('main');
    const { base } = await baseOf(repository, push(c('m2')), '+refs/heads/main:refs/heads/hostile');
    expect(base?.commit).toBe(c('m2'));
    expect(repository.git('for-each-ref', 'refs/heads/hostile')).toBe('');
  });

  it('is the previous tag of a release, fetched where the clone lacks it', async () => {
    const source: BaseSource = { kind: 'accepted', before: null, orPreviousTag: true };
    const { base } = await baseOf(at('refs/heads/feature'), source);
    expect(base).toEqual({ commit: c('m1'), describe: `${c('m1').slice(0, 7)} (previous tag "v1")` });
  });

  it('is nothing where there is neither an accepted session nor a tag', async () => {
    const lone = createRepository(temporary.path, 'lone');
    lone.commit({ a: 'a' });
    const { base, notes } = await baseOf(lone, { kind: 'accepted', before: null, orPreviousTag: true });
    expect(base).toBeNull();
    expect(notes[0]?.code).toBe('no-base');
  });
});

describe('the base in a terminal', () => {
  const local: BaseSource = { kind: 'default-branch', branch: null };

  it('is the merge base with the remote default branch', async () => {
    const repository = full('feature');
    repository.commit({ more: 'x' });
    expect((await baseOf(repository, local)).base?.commit).toBe(c('m2'));
  });

  it('is found by its name where the clone knows only one branch', async () => {
    expect((await baseOf(at('refs/heads/feature'), { kind: 'default-branch', branch: 'main' })).base?.commit).toBe(
      c('m2'),
    );
  });

  it('has to be named without a remote', async () => {
    const lone = createRepository(temporary.path, 'lone-local');
    lone.commit({ a: 'a' });
    await expect(baseOf(lone, local)).rejects.toThrow('name the base with `--base REF`');
  });

  it.each([
    ['a commit', () => c('m0').slice(0, 12), 'm0'],
    ['an annotated tag', () => 'v1', 'm1'],
    ['a branch that only the remote has', () => 'feature', 'f2'],
    ['a full ref that only the remote has', () => 'refs/pull/9/merge', 'merge'],
  ])('may be %s', async (_, name, expected) => {
    const { base } = await baseOf(full('main'), { kind: 'ref', ref: name() });
    expect(base?.commit).toBe(c(expected));
  });

  it.each([
    'nope',
    '--upload-pack=touch hostile',
    '-x',
    '+refs/heads/*:refs/heads/*',
    'a b',
    'x\n::error::y',
    '$(touch hostile)',
    '',
  ])('is refused where %j names nothing, and nothing runs', async (ref) => {
    const repository = full('main');
    const found = baseOf(repository, { kind: 'ref', ref });
    await expect(found).rejects.toThrow(RefusedError);
    await expect(found).rejects.toThrow(/^the base [^\n]+$/);
    expect(existsSync(join(repository.root, 'hostile'))).toBe(false);
    expect(repository.git('for-each-ref', '--format=%(refname)', 'refs/heads')).toBe('refs/heads/main');
  });
});

describe('the merge base in a shallow clone', () => {
  /** A history of 14 commits with merges, from a seed; its branches are `left` and `right`. */
  function randomHistory(seed: number): Repository {
    const repository = createRepository(temporary.path, `random-${seed}`);
    let state = seed;
    const below = (limit: number) => {
      state = (state * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((state / 2 ** 31) * limit);
    };
    const tree = repository.git('mktree');
    const made: string[] = [];
    for (let i = 0; i < 14; i++) {
      const near = () => made[Math.max(0, made.length - 1 - below(4))];
      const parents = new Set(i === 0 ? [] : below(3) === 0 ? [near(), made[below(made.length)]] : [near()]);
      made.push(
        repository.git('commit-tree', tree, ...[...parents].flatMap((id) => ['-p', id as string]), '-m', `${i}`),
      );
    }
    repository.git('update-ref', 'refs/heads/left', made[13] as string);
    repository.git('update-ref', 'refs/heads/right', made[11] as string);
    repository.git('symbolic-ref', 'HEAD', 'refs/heads/left');
    return repository;
  }

  it.each(Array.from({ length: 12 }, (_, seed) => [seed + 1, 1 + (seed % 4)]))(
    'is that of the whole history (history %i, depth %i)',
    async (seed, depth) => {
      const whole = randomHistory(seed);
      const [left, right] = [whole.git('rev-parse', 'left'), whole.git('rev-parse', 'right')];
      const expected = whole.git('merge-base', '--all', left, right).split('\n');
      const shallow = clone(
        `file://${whole.root}`,
        temporary.path,
        `shallow-${seed}`,
        `--depth=${depth}`,
        '--no-single-branch',
      );
      expect(expected).toContain(await openHistory(shallow.root).mergeBase(left, right));
      rmSync(shallow.root, { recursive: true });
    },
  );

  it('is not searched for in more history than it takes', async () => {
    const shallow = clone(url, temporary.path, 'deep', '--depth=3', '--branch=main');
    const [tip, before] = [shallow.git('rev-parse', 'HEAD'), shallow.git('rev-parse', 'HEAD~2')];
    expect(await openHistory(shallow.root).mergeBase(tip, before)).toBe(before);
    expect(shallow.git('rev-list', '--count', 'HEAD')).toBe('3');
  });
});
