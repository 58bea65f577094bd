import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRepository, type Repository, temporaryFolder } from './git-repository.ts';
import type { GitHubState } from './github-server-state.ts';
import { addPull } from './github-server-state.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A repository on a real remote with pull request 42, and workspaces checked out of it as `actions/checkout` does. */
export interface DemoRepository {
  readonly folder: string;
  readonly commits: DemoCommits;
  /** A workspace: `ref` alone, `depth` commits deep, detached. */
  readonly checkOut: (ref: string, depth?: number) => Repository;
  /** Makes its commits and pull request known to a GitHub. */
  readonly announce: (state: GitHubState) => void;
  readonly remove: () => void;
}

export interface DemoCommits {
  /** Where the branch left main; tagged `v1`. */
  readonly root: string;
  /** Tip of main, which moved on after the branch was made. */
  readonly base: string;
  readonly head: string;
  /** GitHub's own merge of head into base: `refs/pull/42/merge`. */
  readonly merge: string;
}

export const PULL_NUMBER = 42;
export const MERGE_REF = `refs/pull/${PULL_NUMBER}/merge`;

export interface DemoChange {
  readonly base: Files;
  readonly head: Files;
  readonly branch?: string;
}

/** `base` committed on main, `head` on a branch of its own. */
export function createDemoRepository({ base, head, branch = 'faster-interaction' }: DemoChange): DemoRepository {
  const { path: folder, remove } = temporaryFolder();
  const author = createRepository(folder, 'author');
  const root = author.commit(base, 'base');
  author.git('tag', 'v1');
  author.git('checkout', '--quiet', '-b', branch);
  const headCommit = author.commit(head, 'head');
  author.git('checkout', '--quiet', 'main');
  const baseCommit = author.commit({ 'NOTES.md': 'main moved on\n' }, 'meanwhile on main');
  author.git('checkout', '--quiet', '--detach');
  author.git('merge', '--quiet', '--no-ff', '--message', 'merge', headCommit);
  const merge = author.git('rev-parse', 'HEAD');
  author.git('update-ref', MERGE_REF, merge);
  author.git('checkout', '--quiet', 'main');
  author.git('clone', '--quiet', '--mirror', author.root, join(folder, 'origin.git'));
  let workspaces = 0;
  const checkOut = (ref: string, depth = 2): Repository => {
    const name = `workspace-${++workspaces}`;
    mkdirSync(join(folder, name));
    const workspace = createRepository(join(folder, name), 'ranking');
    workspace.git('remote', 'add', 'origin', `file://${join(folder, 'origin.git')}`);
    workspace.git('fetch', '--quiet', '--no-tags', `--depth=${depth}`, 'origin', `+${ref}:refs/remotes/gate/checkout`);
    workspace.git('checkout', '--quiet', '--force', '--detach', 'refs/remotes/gate/checkout');
    return workspace;
  };
  const announce = (state: GitHubState): void => {
    addPull(state, { number: PULL_NUMBER, headSha: headCommit, baseSha: baseCommit, headRef: branch });
    state.commits.add(merge);
  };
  return { folder, commits: { root, base: baseCommit, head: headCommit, merge }, checkOut, announce, remove };
}
