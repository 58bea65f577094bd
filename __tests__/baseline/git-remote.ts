import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BaselineStore } from '../../src/baseline/baseline-store.ts';
import { openBranchStore } from '../../src/baseline/branch-store-edge.ts';

export const BRANCH = 'model-gate-baselines';

/** Nothing of the machine's own git settings reaches a test. */
export const ENVIRONMENT = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Dev',
  GIT_AUTHOR_EMAIL: 'dev@example.com',
  GIT_COMMITTER_NAME: 'Dev',
  GIT_COMMITTER_EMAIL: 'dev@example.com',
} as const;

export function git(folder: string, ...args: string[]): string {
  const options = { cwd: folder, env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] };
  return execFileSync('git', args, options).toString('utf8').trim();
}

/** A bare remote with two commits on main, in a folder of its own. */
export interface Remote {
  readonly folder: string;
  readonly bare: string;
  clone(name: string, ...options: string[]): string;
  remove(): void;
}

export function createRemote(): Remote {
  const folder = mkdtempSync(join(tmpdir(), 'model-gate-remote-'));
  const bare = join(folder, 'remote.git');
  const seed = join(folder, 'seed');
  mkdirSync(seed);
  git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  git(seed, 'init', '--quiet', '--initial-branch=main');
  for (const name of ['one', 'two']) {
    writeFileSync(join(seed, `${name}.txt`), name);
    git(seed, 'add', '.');
    git(seed, 'commit', '--quiet', '-m', name);
  }
  git(seed, 'push', '--quiet', bare, 'main');
  return {
    folder,
    bare,
    clone: (name, ...options) => {
      git(folder, 'clone', '--quiet', ...options, `file://${bare}`, name);
      return join(folder, name);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The branch store of a clone; its waits are over at once, so that a test never sleeps. */
export function storeOf(
  clone: string,
  changes: { branch?: string; maxAttempts?: number } = {},
): Promise<BaselineStore> {
  let turn = 0;
  return openBranchStore({
    repository: clone,
    remote: 'origin',
    branch: BRANCH,
    environment: ENVIRONMENT,
    now: () => new Date('2026-12-01T10:00:00Z'),
    random: () => (turn = (turn + 0.381966) % 1),
    wait: () => new Promise((resolve) => setImmediate(resolve)),
    ...changes,
  });
}

/** Everything of a clone that a user would miss; what it knows of the remote's store branch may become truer. */
export function snapshot(clone: string): Record<string, string> {
  const refs = git(clone, 'for-each-ref', '--format=%(refname) %(objectname)').split('\n');
  return {
    branch: git(clone, 'rev-parse', '--symbolic-full-name', 'HEAD'),
    status: git(clone, 'status', '--porcelain=v2', '--ignored'),
    diff: git(clone, 'diff', 'HEAD'),
    staged: git(clone, 'diff', '--cached'),
    head: git(clone, 'rev-parse', 'HEAD'),
    refs: refs.filter((ref) => !/^refs\/(model-gate|remotes\/origin\/model-gate-baselines)/.test(ref)).join('\n'),
    stash: git(clone, 'stash', 'list'),
    config: git(clone, 'config', '--local', '--list'),
    shallow: git(clone, 'rev-parse', '--is-shallow-repository'),
  };
}
