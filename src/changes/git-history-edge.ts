import { readFile } from 'node:fs/promises';
import { resolve as resolvePath } from 'node:path';
import { NoVerdictError } from '../errors.ts';
import type { History } from './base.ts';
import { git, lastLine, tryGit } from './git-process-edge.ts';

const DEEPEN_BY = [50, 500] as const;
const FETCH = ['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
/** Anything else in a commit's place could be a refspec that writes branches. */
const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
const ADVICE = 'set `fetch-depth: 0` in actions/checkout';

/** The history of the repository at `root`, fetched from its remote where the clone lacks a part. */
export function openHistory(root: string): History {
  const resolve = (name: string) => commitOf(root, name);
  return {
    resolve,
    parents: (commit) => parentsOf(root, commit),
    fetchCommit: (commit) => fetchCommit(root, commit),
    mergeBase: (one, other) => mergeBase(root, one, other),
    defaultBranch: (branch) => defaultBranch(root, branch),
    remoteCommit: (name) => remoteCommit(root, name),
    previousTag: (commit) => previousTag(root, commit),
  };
}

async function commitOf(root: string, name: string): Promise<string | null> {
  const found = await tryGit(root, ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** True parents, read from the commit itself: in a shallow clone git would say that it has none. */
async function parentsOf(root: string, commit: string): Promise<string[]> {
  const text = await git(root, ['cat-file', 'commit', commit]);
  const header = text.slice(0, text.indexOf('\n\n'));
  return [...header.matchAll(/^parent ([0-9a-f]+)$/gm)].map((match) => match[1] ?? '');
}

/** The remote to fetch from: `origin`, else the first; null without one. */
export async function remoteOf(root: string): Promise<string | null> {
  const names = (await git(root, ['remote'])).split('\n').filter((name) => name !== '');
  return names.includes('origin') ? 'origin' : (names[0] ?? null);
}

async function shallowCommits(root: string): Promise<string[]> {
  const path = (await git(root, ['rev-parse', '--git-path', 'shallow'])).trim();
  const text = await readFile(resolvePath(root, path), 'utf8').catch(() => '');
  return text.split('\n').filter((line) => line !== '');
}

async function fetchCommit(root: string, commit: string): Promise<boolean> {
  if (!COMMIT.test(commit)) return false;
  if (await commitOf(root, commit)) return true;
  const remote = await remoteOf(root);
  if (remote === null) return false;
  const depth = (await shallowCommits(root)).length > 0 ? ['--depth=1'] : [];
  await tryGit(root, [...FETCH, ...depth, '--end-of-options', remote, commit]);
  return (await commitOf(root, commit)) !== null;
}

/**
 * Best common ancestor, or null. A shallow clone is deepened until nothing that was cut off could be a younger one:
 * that is so once no commit at the cut is reachable from one side only.
 */
async function mergeBase(root: string, one: string, other: string): Promise<string | null> {
  for (const depth of DEEPEN_BY) {
    if (await isComplete(root, one, other)) break;
    await deepen(root, [`--deepen=${depth}`], [one, other]);
  }
  if (!(await isComplete(root, one, other))) await deepen(root, ['--unshallow'], [one, other]);
  const found = await tryGit(root, ['merge-base', '--end-of-options', one, other]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

async function isComplete(root: string, one: string, other: string): Promise<boolean> {
  const cuts = await shallowCommits(root);
  if (cuts.length === 0) return true;
  const apart = new Set((await git(root, ['rev-list', `${one}...${other}`, '--'])).split('\n'));
  return !cuts.some((cut) => apart.has(cut));
}

async function deepen(root: string, how: readonly string[], commits: readonly string[]): Promise<void> {
  const remote = await remoteOf(root);
  if (remote === null) throw new NoVerdictError(`this clone is shallow and has no remote to deepen it from: ${ADVICE}`);
  const named = await tryGit(root, [...FETCH, ...how, '--end-of-options', remote, ...commits]);
  if (named.exitCode === 0) return;
  const all = await tryGit(root, [...FETCH, ...how, '--end-of-options', remote]);
  if (all.exitCode !== 0)
    throw new NoVerdictError(`this clone is too shallow and can't be deepened (${lastLine(all.stderr)}): ${ADVICE}`);
}

async function defaultBranch(root: string, branch: string | null): Promise<string | null> {
  const remote = await remoteOf(root);
  if (remote === null) return null;
  const tracked = branch === null ? `refs/remotes/${remote}/HEAD` : `refs/remotes/${remote}/${branch}`;
  return (
    (await commitOf(root, tracked)) ?? (await remoteCommit(root, branch === null ? 'HEAD' : `refs/heads/${branch}`))
  );
}

/** Commit of a branch or tag as the remote has it now; fetched. */
async function remoteCommit(root: string, name: string): Promise<string | null> {
  const remote = await remoteOf(root);
  if (remote === null) return null;
  const refs = name === 'HEAD' || name.startsWith('refs/') ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  const wanted = refs.flatMap((ref) => [ref, `${ref}^{}`]);
  const listed = await tryGit(root, ['ls-remote', '--quiet', '--end-of-options', remote, ...wanted]);
  const found = new Map(listed.stdout.split('\n').map((line) => line.split('\t').reverse() as [string, string]));
  for (const ref of refs) {
    const commit = found.get(`${ref}^{}`) ?? found.get(ref);
    if (commit && (await fetchCommit(root, commit))) return commit;
  }
  return null;
}

async function previousTag(root: string, commit: string) {
  const [parent] = await parentsOf(root, commit);
  const remote = await remoteOf(root);
  if (parent === undefined) return null;
  if (remote !== null && (await shallowCommits(root)).length > 0)
    await tryGit(root, [
      'fetch',
      '--quiet',
      '--tags',
      '--unshallow',
      '--no-write-fetch-head',
      '--end-of-options',
      remote,
    ]);
  if (!(await fetchCommit(root, parent))) return null;
  const found = await tryGit(root, ['describe', '--tags', '--abbrev=0', parent]);
  const tag = found.exitCode === 0 ? found.stdout.trim() : null;
  const tagged = tag === null ? null : await commitOf(root, `refs/tags/${tag}`);
  return tag === null || tagged === null ? null : { tag, commit: tagged };
}
