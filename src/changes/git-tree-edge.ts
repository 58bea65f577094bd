import { existsSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NoVerdictError, RefusedError } from '../errors.ts';
import { quoteName } from '../inputs/suggestion.ts';
import { parseLfsPointer } from '../model/lfs-pointer.ts';
import { shortCommit } from './base.ts';
import type { HeadRevision } from './change-set.ts';
import { type FileChange, parseRawDiff } from './file-change.ts';
import { git, gitToFile, tryGit } from './git-process-edge.ts';
import { linkTarget, parsePaths, parseTree, type TreeEntry } from './git-tree.ts';

const MAX_LINKS = 8;
const POINTER_BYTES = 1024;

/**
 * Top folder of the repository `folder` stands in.
 * @throws RefusedError outside a work tree.
 */
export async function repositoryRoot(folder: string): Promise<string> {
  const found = await tryGit(folder, ['rev-parse', '--show-toplevel']);
  if (found.exitCode !== 0 || found.stdout.trim() === '')
    throw new RefusedError(
      found.stderr.includes('dubious ownership')
        ? `git does not trust ${quoteName(folder)}, which another user owns: run "git config --global --add safe.directory ${folder}"`
        : `${quoteName(folder)} is not inside a git work tree: run the gate in a checkout`,
    );
  return found.stdout.replace(/\n$/, '');
}

/** The work tree as checked out. @throws RefusedError where nothing was ever committed. */
export async function readHead(root: string): Promise<HeadRevision> {
  const found = await tryGit(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (found.exitCode !== 0) throw new RefusedError('the repository has no commit yet: commit first');
  const commit = found.stdout.trim();
  const clean = await tryGit(root, ['diff', '--quiet', '--no-ext-diff', '--ignore-submodules=dirty', 'HEAD', '--']);
  const dirty = clean.exitCode !== 0;
  return { commit, describe: `${shortCommit(commit)}${dirty ? ' with local changes' : ''}`, dirty };
}

/** Paths of all files of a commit. */
export async function listCommit(root: string, commit: string): Promise<string[]> {
  return parseTree(await git(root, ['ls-tree', '-r', '-z', '--full-tree', commit])).map((entry) => entry.path);
}

/** Paths of the work tree that git tracks or would, and those of `named` that exist though git ignores them. */
export async function listWorkTree(
  root: string,
  named: readonly string[],
): Promise<{ files: string[]; ignored: string[] }> {
  const listed = parsePaths(await git(root, ['ls-files', '-z', '--cached', '--others', '--exclude-standard']));
  const deleted = new Set(parsePaths(await git(root, ['ls-files', '-z', '--deleted'])));
  const files = new Set(listed.filter((path) => !deleted.has(path)));
  const ignored = named.filter((path) => !files.has(path) && existsSync(join(root, path)));
  return { files: [...files, ...ignored].sort(), ignored };
}

/** What differs between a commit and the work tree; files git does not track yet count as added. */
export async function listChanges(root: string, commit: string): Promise<FileChange[]> {
  const options = [
    '--raw',
    '-z',
    '--no-abbrev',
    '--no-ext-diff',
    '--no-textconv',
    '--find-renames',
    '--ignore-submodules=dirty',
  ];
  const changes = parseRawDiff(await git(root, ['diff', ...options, commit, '--']));
  const untracked = parsePaths(await git(root, ['ls-files', '-z', '--others', '--exclude-standard']));
  const added = untracked.map((path): FileChange => ({ status: 'added', path, oldPath: null, isSubmodule: false }));
  return [...changes, ...added];
}

/** Text of a file of a commit; null where the commit lacks it. */
export async function readText(root: string, commit: string, path: string): Promise<string | null> {
  const entry = await findEntry(root, commit, path);
  return entry?.kind === 'file' ? git(root, ['cat-file', 'blob', entry.id]) : null;
}

/**
 * Streams a file of a commit to a new file, its real content where git keeps a Git LFS pointer. False where the commit
 * lacks the file.
 * @throws NoVerdictError where the content can't be had.
 */
export async function writeFileOf(root: string, commit: string, path: string, file: string): Promise<boolean> {
  const entry = await findEntry(root, commit, path);
  if (entry?.kind !== 'file') return false;
  await gitToFile(root, ['cat-file', 'blob', entry.id], file);
  if (!(await isPointer(file))) return true;
  const where = `${quoteName(path)} of ${shortCommit(commit)} is a Git LFS pointer`;
  const filter = await filterOptions(root);
  if (filter === null) throw new NoVerdictError(`${where}: install git-lfs on this machine, so that base can be read`);
  // Attributes are those of the work tree, which may no longer name the filter that base needs.
  const attributes = `${file}.gitattributes`;
  await writeFile(attributes, '* filter=lfs\n');
  const smudge = [...filter, '-c', `core.attributesFile=${attributes}`, 'cat-file', '--filters'];
  await gitToFile(root, [...smudge, `--path=${path}`, entry.id], file).finally(() => rm(attributes));
  if (await isPointer(file))
    throw new NoVerdictError(`${where} whose content could not be fetched: check that "git lfs pull" works here`);
  return true;
}

/** The file at a path; links inside the repository are followed. */
async function findEntry(root: string, commit: string, path: string, links = 0): Promise<TreeEntry | null> {
  const [entry] = parseTree(await git(root, ['ls-tree', '-z', '--full-tree', commit, '--', path]));
  if (entry?.kind !== 'link') return entry ?? null;
  const target = linkTarget(path, await git(root, ['cat-file', 'blob', entry.id]));
  if (target === null || links === MAX_LINKS)
    throw new NoVerdictError(
      `${quoteName(path)} of ${shortCommit(commit)} is a link that leads out of the repository: base can't be read`,
    );
  return findEntry(root, commit, target, links + 1);
}

async function isPointer(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(POINTER_BYTES + 1), 0, POINTER_BYTES + 1, 0);
    return parseLfsPointer(buffer.subarray(0, bytesRead)) !== null;
  } finally {
    await handle.close();
  }
}

/** Options that give git its LFS filter; null where it is neither configured nor installed. */
async function filterOptions(root: string): Promise<string[] | null> {
  const configured = await tryGit(root, ['config', '--get-regexp', '^filter\\.lfs\\.(smudge|process)$']);
  if (configured.exitCode === 0) return [];
  const installed = await tryGit(root, ['lfs', 'version']);
  return installed.exitCode === 0 ? ['-c', 'filter.lfs.smudge=git-lfs smudge -- %f'] : null;
}
