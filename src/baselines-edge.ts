import { setTimeout as sleep } from 'node:timers/promises';
import { type AcceptedCommits, acceptedCommits } from './baseline/accepted-commits.ts';
import { storePassed } from './baseline/baseline-commands.ts';
import { readFiles } from './baseline/baseline-overview.ts';
import type { Baseline } from './baseline/baseline-schema.ts';
import type { BaselineStore, StoredFile } from './baseline/baseline-store.ts';
import { openBranchStore } from './baseline/branch-store-edge.ts';
import { openDirectoryStore } from './baseline/directory-store-edge.ts';
import { type WriteRequest, whyNotWritten } from './baseline/may-write.ts';
import { openHistory, remoteOf } from './changes/git-history-edge.ts';
import { lastLine, tryGit } from './changes/git-process-edge.ts';
import type { Baselines } from './edges.ts';
import { NoVerdictError, RefusedError } from './errors.ts';
import type { BaselineSettings } from './inputs/baseline-settings.ts';
import type { Trigger } from './inputs/trigger.ts';

export interface StorePlace {
  readonly root: string;
  readonly settings: BaselineSettings;
  /** Where the directory store is read: a commit that the change can't have written; null for the work tree. */
  readonly commit: string | null;
  readonly environment: NodeJS.ProcessEnv;
}

/** Whether a team keeps baselines at all, as its config or workflow says. */
export type Keeping = 'kept' | 'not-kept';

/** Their restarts are never stored, so they are kept short. */
const CHANGES: readonly Trigger['kind'][] = ['pull-request', 'merge-group'];

/** The store of a repository. @throws RefusedError where the branch store has no remote. */
export async function openStore({ root, settings, commit, environment }: StorePlace): Promise<BaselineStore> {
  switch (settings.store) {
    case 'directory':
      return openDirectoryStore({ repository: root, commit, environment });
    case 'branch':
      return openBranchStore({
        repository: root,
        remote: await neededRemote(root),
        branch: settings.branch,
        environment,
        now: () => new Date(),
        random: Math.random,
        wait: (ms) => sleep(ms),
      });
  }
}

/** Commits of what is accepted. @throws RefusedError for a broken file: a gap would hide what was accepted. */
export async function readAcceptedCommits(root: string, store: BaselineStore): Promise<AcceptedCommits> {
  const history = openHistory(root);
  const known = new Map<string, Promise<boolean>>();
  return acceptedCommits(soundBaselines(await store.files(null)), (commit) => {
    const found = known.get(commit) ?? history.fetchCommit(commit);
    known.set(commit, found);
    return found;
  });
}

/** What the story asks of a store; a null store holds nothing. */
export function createBaselines(
  store: BaselineStore | null,
  place: StorePlace,
  trigger: Trigger,
  keeping: Keeping,
): Omit<Baselines, 'readAccepted'> {
  const known = new Map<string, Promise<readonly Baseline[]>>();
  const read = async (model: string) => (store ? soundBaselines(await store.files(model)) : []);
  const isStoring = store?.kind === 'branch' && trigger.mayStoreBaseline && !trigger.isFork;
  return {
    read: (model) => {
      const found = known.get(model) ?? read(model);
      known.set(model, found);
      return found;
    },
    isStoring,
    measuresReference: isStoring || (keeping === 'kept' && !CHANGES.includes(trigger.kind)),
    store: async (groups) => {
      if (!isStoring || groups.length === 0) return null;
      await refuseForbiddenWrite('gate', place, trigger);
      return storePassed(store, groups);
    },
  };
}

/** @throws RefusedError where this store must not be written, with the reason. */
export async function refuseForbiddenWrite(
  intent: WriteRequest['intent'],
  { root, settings }: Pick<StorePlace, 'root' | 'settings'>,
  trigger: WriteRequest['trigger'],
): Promise<void> {
  const { store, branch } = settings;
  const defaultBranch = store === 'branch' ? await defaultBranchOf(root) : null;
  const why = whyNotWritten({ intent, store, branch, defaultBranch, trigger });
  if (why !== null) throw new RefusedError(`the baseline was not stored: ${why}`);
}

function soundBaselines(files: readonly StoredFile[]): Baseline[] {
  return readFiles(files).map(({ baseline, fault }) => {
    if (baseline === null) throw new RefusedError(fault);
    return baseline;
  });
}

async function neededRemote(root: string): Promise<string> {
  const remote = await remoteOf(root);
  if (remote === null)
    throw new RefusedError(
      'the branch store needs a remote, and this clone has none: add one, or use `store: directory`',
    );
  return remote;
}

/** Name of the remote's default branch, asked only before a write; null where the remote names none. */
async function defaultBranchOf(root: string): Promise<string | null> {
  const listed = await tryGit(root, ['ls-remote', '--symref', '--end-of-options', await neededRemote(root), 'HEAD']);
  if (listed.exitCode !== 0)
    throw new NoVerdictError(`the remote's default branch can't be read: ${lastLine(listed.stderr)}`);
  return /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(listed.stdout)?.[1] ?? null;
}
