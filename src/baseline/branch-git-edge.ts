import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoVerdictError, RefusedError } from '../errors.ts';
import type { FileChange } from './apply-changes.ts';
import type { GitBytes } from './git-edge.ts';
import { describeGitFailure, type GitResult, isDenied } from './git-fault.ts';
import { refuseFailure } from './git-tree-edge.ts';

const AUTHOR = { name: 'Model Gate', email: 'model-gate@localhost' } as const;
const READ_ATTEMPTS = 4;

export interface RemoteBranch {
  readonly remote: string;
  readonly branch: string;
  /** Waits before another try. */
  readonly pause: (attempt: number) => Promise<void>;
}

/**
 * Commit the remote branch points at, its files at hand; null where there is no such branch.
 * @throws RefusedError where access is denied, NoVerdictError where the remote can't be reached.
 */
export async function fetchTip(git: GitBytes, { remote, branch, pause }: RemoteBranch): Promise<string | null> {
  const ref = `refs/heads/${branch}`;
  const what = `cannot read branch ${branch} of ${remote}`;
  const listed = await retryRead(() => git(['ls-remote', '--exit-code', remote, ref]), pause);
  if (listed.code === 2) return null;
  refuseRead(listed, what);
  const oid = listed.stdout.split('\t')[0] ?? '';
  if ((await git(['cat-file', '-e', `${oid}^{tree}`])).code === 0) return oid;
  const shallow = await git(['rev-parse', '--is-shallow-repository']);
  // A depth in a complete clone would make it a shallow one.
  const depth = shallow.stdout.trim() === 'true' ? ['--depth=1'] : [];
  // A ref of our own: never the branch itself, which may be checked out, nor its remote-tracking ref.
  const target = `refs/model-gate/store/${branch}`;
  const flags = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--refmap=', ...depth];
  refuseRead(await retryRead(() => git(['fetch', ...flags, remote, `+${ref}:${target}`]), pause), what);
  const fetched = await git(['rev-parse', '--verify', target]);
  refuseFailure(fetched, what);
  return fetched.stdout.trim();
}

async function retryRead<Result extends GitResult>(
  call: () => Promise<Result>,
  pause: RemoteBranch['pause'],
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const result = await call();
    const isSettled = result.code === 0 || result.code === 2 || isDenied(result.stderr);
    if (isSettled || attempt === READ_ATTEMPTS) return result;
    await pause(attempt);
  }
}

function refuseRead(result: GitResult, what: string): void {
  if (result.code === 0) return;
  const detail = describeGitFailure(result.stderr);
  if (isDenied(result.stderr)) throw new RefusedError(`${what} (${detail}): the job needs "contents: read"`);
  throw new NoVerdictError(`${what}: ${detail}`);
}

/**
 * Id of a commit on `tip` (an orphan where null) with the files written or deleted; no ref, work tree or index changes.
 * @throws NoVerdictError where git can't write objects.
 */
export async function commitFiles(
  git: GitBytes,
  tip: string | null,
  files: readonly FileChange[],
  message: string,
  now: Date,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gate-index-'));
  const environment = { GIT_INDEX_FILE: join(folder, 'index') };
  const call = async (args: readonly string[], input = '', extra: Readonly<Record<string, string>> = {}) => {
    const result = await git(args, { input, environment: { ...environment, ...extra } });
    refuseFailure(result, 'cannot build the baseline commit');
    return result.stdout.trim();
  };
  try {
    await call(['read-tree', ...(tip === null ? ['--empty'] : [tip])]);
    const lines: string[] = [];
    for (const { path, text } of files) {
      const oid = await call(['hash-object', '-w', '--stdin'], text ?? '');
      lines.push(text === null ? `0 ${'0'.repeat(oid.length)}\t${path}` : `100644 ${oid}\t${path}`);
    }
    await call(['update-index', '--index-info'], `${lines.join('\n')}\n`);
    // Unchanged files of a partial clone need not be here.
    const tree = await call(['write-tree', '--missing-ok']);
    return await call(['commit-tree', tree, ...(tip === null ? [] : ['-p', tip]), '-F', '-'], message, signature(now));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function signature(now: Date): Record<string, string> {
  const date = `${Math.floor(now.getTime() / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: AUTHOR.name,
    GIT_AUTHOR_EMAIL: AUTHOR.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: AUTHOR.name,
    GIT_COMMITTER_EMAIL: AUTHOR.email,
    GIT_COMMITTER_DATE: date,
  };
}
