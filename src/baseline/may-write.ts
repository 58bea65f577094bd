import type { Trigger } from '../inputs/trigger.ts';

/** `gate` stores what passed by itself; `accept` is a person's explicit wish. */
export type WriteIntent = 'gate' | 'accept';

export interface WriteRequest {
  readonly intent: WriteIntent;
  readonly store: 'directory' | 'branch';
  /** Branch of the branch store, and the repository's default branch where it is known. */
  readonly branch: string;
  readonly defaultBranch: string | null;
  readonly trigger: Pick<Trigger, 'kind' | 'isFork' | 'mayStoreBaseline'>;
}

/** Null where the baseline may be written, else why not, in one line. DESIGN §8 "The gate writes baselines by itself". */
export function whyNotWritten({ intent, store, branch, defaultBranch, trigger }: WriteRequest): string | null {
  if (store === 'branch' && branch === defaultBranch) {
    return `the baseline branch is the default branch "${branch}": give the store a branch of its own (baseline.branch)`;
  }
  if (trigger.isFork) return 'a fork never writes baselines';
  switch (intent) {
    case 'accept':
      return null;
    case 'gate':
      if (store === 'directory') return 'the directory store is written by `model-gate baseline accept` only';
      return trigger.mayStoreBaseline ? null : 'baselines are stored on a push to the default branch only';
  }
}
