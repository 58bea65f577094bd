import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import { serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import { baselinePath } from '../../src/baseline/baseline-path.ts';
import type { AddressedChange, BaselineStore } from '../../src/baseline/baseline-store.ts';
import { openDirectoryStore } from '../../src/baseline/directory-store-edge.ts';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import { createRemote, ENVIRONMENT, git, type Remote } from './git-remote.ts';
import { accepted, chainedBaseline, HEADER } from './samples.ts';

let remote: Remote;
let clone: string;
beforeEach(() => {
  remote = createRemote();
  clone = remote.clone('a');
});
afterEach(() => remote.remove());

const open = (commit: string | null): BaselineStore =>
  openDirectoryStore({ repository: clone, commit, environment: ENVIRONMENT });
const put = (path: string, text: string): void => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text);
};
const add = (session: string, model = HEADER.model): AddressedChange => {
  const header = { ...HEADER, model };
  return { address: header, change: (current) => appendSessions(current, header, [accepted({ session })]) };
};
const sessionsOf = async (store: BaselineStore) => (await store.read(HEADER))?.sessions.map((entry) => entry.session);

describe('directory store', () => {
  it('reads from the base commit, so that a change can’t bring its own baseline', async () => {
    await open(null).update([add('s0')], '');
    git(clone, 'add', '.');
    git(clone, 'commit', '--quiet', '-m', 'baseline');
    const base = git(clone, 'rev-parse', 'HEAD');
    put(baselinePath(HEADER), serialiseBaseline(chainedBaseline(9)));
    expect(await sessionsOf(open(base))).toEqual(['s0']);
    expect((await open(base).files(null)).map((file) => file.path)).toEqual([baselinePath(HEADER)]);
    expect(await open(base).read({ ...HEADER, model: 'absent' })).toBeNull();
    expect(await open(`${base}~1`).read(HEADER)).toBeNull();
  });

  it('writes the work tree, by renaming, and leaves nothing else behind', async () => {
    const report = await open(null).update([add('s0'), add('s1'), add('s0', 'org/name')], '');
    expect(report.written).toEqual([baselinePath(HEADER), 'baselines/org%2Fname/9a1b2c3d4e5f.json']);
    expect(await sessionsOf(open(null))).toEqual(['s0', 's1']);
    expect(readdirSync(join(clone, 'baselines/ranker'))).toEqual(['9a1b2c3d4e5f.json']);
    expect((await open(null).update([add('s1')], '')).written).toEqual([]);
    await open(null).update([{ address: HEADER, change: () => null }], '');
    expect(existsSync(join(clone, baselinePath(HEADER)))).toBe(false);
  });

  it('never overwrites a broken file, nor writes any other with it (G15)', async () => {
    const half = serialiseBaseline(chainedBaseline(2)).slice(0, 300);
    put(baselinePath(HEADER), half);
    await expect(open(null).update([add('s0', 'other'), add('s9')], '')).rejects.toThrow(RefusedError);
    expect(readFileSync(join(clone, baselinePath(HEADER)), 'utf8')).toBe(half);
    expect(existsSync(join(clone, 'baselines/other'))).toBe(false);
  });

  it.each([
    ['the folder', 'baselines'],
    ['a model’s folder', 'baselines/ranker'],
    ['the file', 'baselines/ranker/9a1b2c3d4e5f.json'],
  ])('does not follow %s where it is a link out of the tree', async (_name, link) => {
    const outside = join(remote.folder, 'outside');
    mkdirSync(join(outside, 'ranker'), { recursive: true });
    mkdirSync(dirname(join(clone, link)), { recursive: true });
    symlinkSync(link.endsWith('.json') ? join(outside, 'x.json') : outside, join(clone, link));
    await expect(open(null).update([add('s0')], '')).rejects.toThrow(/is a symbolic link/);
    expect(readdirSync(outside)).toEqual(['ranker']);
    await expect(open(null).read(HEADER)).rejects.toThrow(RefusedError);
  });

  it('says loudly where it can’t write', async () => {
    put('baselines', 'a file where the folder should be');
    await expect(open(null).update([add('s0')], '')).rejects.toThrow(/was not stored in baselines\//);
    expect(readFileSync(join(clone, 'baselines'), 'utf8')).toBe('a file where the folder should be');
  });

  it('says that a commit is not there instead of "no baseline" (G7)', async () => {
    await expect(open('1'.repeat(40)).read(HEADER)).rejects.toThrow(NoVerdictError);
  });
});
