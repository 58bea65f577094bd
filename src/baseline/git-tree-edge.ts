import { NoVerdictError } from '../errors.ts';
import type { StoredFile } from './baseline-store.ts';
import type { GitBytes } from './git-edge.ts';
import { describeGitFailure, type GitResult } from './git-fault.ts';

/**
 * The regular files below `path` of a commit (or `path` itself); empty where there are none.
 * @throws NoVerdictError where the commit or its files can't be read.
 */
export async function readTree(git: GitBytes, commit: string, path: string): Promise<StoredFile[]> {
  const listing = await git(['ls-tree', '-r', '-z', '--full-tree', commit, '--', path]);
  refuseFailure(listing, `cannot list ${path} of ${commit.slice(0, 12)}`);
  const entries = listing.stdout
    .split('\0')
    .map((line) => /^100\d{3} blob ([0-9a-f]+)\t(.*)$/s.exec(line))
    .flatMap((match) => (match?.[1] && match[2] ? [{ oid: match[1], path: match[2] }] : []));
  if (entries.length === 0) return [];
  const blobs = await git(['cat-file', '--batch'], { input: `${entries.map((entry) => entry.oid).join('\n')}\n` });
  refuseFailure(blobs, `cannot read ${path} of ${commit.slice(0, 12)}`);
  return splitBatch(blobs.bytes, entries);
}

/** @throws NoVerdictError naming what could not be done, where git failed. */
export function refuseFailure(result: GitResult, what: string): void {
  if (result.code !== 0) throw new NoVerdictError(`${what}: ${describeGitFailure(result.stderr)}`);
}

function splitBatch(bytes: Buffer, entries: readonly { oid: string; path: string }[]): StoredFile[] {
  let at = 0;
  return entries.map(({ oid, path }) => {
    const end = bytes.indexOf('\n', at);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(bytes.toString('latin1', at, end))?.[1];
    if (end < 0 || size === undefined) throw new NoVerdictError(`cannot read ${path}: object ${oid} is missing`);
    at = end + 1 + Number(size) + 1;
    return { path, text: bytes.toString('utf8', end + 1, at - 1) };
  });
}
