import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git, tryGit } from './git-process-edge.ts';

/** Checkouts of other commits beside the user's own, each made once. */
export interface Checkouts {
  /** Folder of a clean checkout of `commit`; what an earlier build left in it is gone. */
  readonly clean: (commit: string) => Promise<string>;
  /** Removes them all, from disk and from git's list. */
  readonly close: () => Promise<void>;
}

/** Checkouts as git worktrees under `folder`; the user's work tree, index and branches stay as they are. */
export function openCheckouts(root: string, folder: string): Checkouts {
  const made = new Map<string, string>();
  return {
    clean: async (commit) => {
      const known = made.get(commit);
      const path = known ?? join(folder, `checkout-${commit.slice(0, 12)}`);
      made.set(commit, path);
      if (known === undefined) await git(root, ['worktree', 'add', '--quiet', '--detach', '--force', path, commit]);
      else {
        await git(path, ['reset', '--quiet', '--hard', commit]);
        await git(path, ['clean', '--quiet', '-ffdx']);
      }
      return path;
    },
    close: async () => {
      for (const path of made.values()) {
        await tryGit(root, ['worktree', 'remove', '--force', path]);
        await rm(path, { recursive: true, force: true });
      }
      if (made.size > 0) await tryGit(root, ['worktree', 'prune']);
      made.clear();
    },
  };
}
