import { NoVerdictError, RefusedError } from '../errors.ts';
import { applyChanges } from './apply-changes.ts';
import { parseBaselineAt } from './baseline-file.ts';
import { BASELINES_FOLDER, baselinePath, modelFolder } from './baseline-path.ts';
import type { Baseline } from './baseline-schema.ts';
import type { BaselineAddress, BaselineStore } from './baseline-store.ts';
import { commitFiles, fetchTip } from './branch-git-edge.ts';
import { gitIn } from './git-edge.ts';
import { readPush } from './git-fault.ts';
import { readTree } from './git-tree-edge.ts';
import { retryDelayMs } from './retry-delay.ts';

export interface BranchStoreOptions {
  /** Any folder of a clone; its work tree, index, branches and HEAD are left alone. */
  readonly repository: string;
  readonly remote: string;
  readonly branch: string;
  /** The process's environment: proxies, ssh and credential helpers come from it. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly wait: (ms: number) => Promise<void>;
  /** Pushes tried before other writers count as too many; 100 by default. */
  readonly maxAttempts?: number;
}

/** Failed pushes, not lost races, after which the host counts as down. */
const MOST_FAULTS = 10;

/**
 * Baselines on an orphan branch, read and written by git plumbing alone: objects, one commit, one push that
 * succeeds only on the tip it was built on. Git 2.29 or newer.
 * @throws RefusedError for a branch name git does not allow.
 */
export async function openBranchStore(options: BranchStoreOptions): Promise<BaselineStore> {
  const { remote, branch } = options;
  const git = gitIn(options.repository, options.environment);
  const ref = `refs/heads/${branch}`;
  const place = `branch ${branch} of ${remote}`;
  const check = await git(['check-ref-format', '--branch', branch]);
  if (check.stdout.trim() !== branch || branch === '')
    throw new RefusedError(`baseline branch ${JSON.stringify(branch)} is not a name git allows`);
  const pause = (attempt: number) => options.wait(retryDelayMs(attempt, options.random()));
  let knownTip: Promise<string | null> | undefined;

  const freshTip = (): Promise<string | null> => {
    knownTip = fetchTip(git, { remote, branch, pause });
    return knownTip;
  };
  const readAt = async (tip: string | null, address: BaselineAddress): Promise<Baseline | null> => {
    const path = baselinePath(address);
    const [file] = tip === null ? [] : await readTree(git, tip, path);
    return file === undefined ? null : parseBaselineAt(file.text, address, `${path} on ${place}`);
  };

  return {
    kind: 'branch',
    place,
    read: async (address) => readAt(await (knownTip ?? freshTip()), address),
    files: async (model) => {
      const tip = await (knownTip ?? freshTip());
      return tip === null ? [] : readTree(git, tip, model === null ? BASELINES_FOLDER : modelFolder(model));
    },
    update: async (changes, message) => {
      const maxAttempts = options.maxAttempts ?? 100;
      let last = 'other writers were faster each time';
      let faults = 0;
      for (let attempt = 1; attempt <= maxAttempts && faults < MOST_FAULTS; attempt++) {
        const tip = await freshTip();
        const files = await applyChanges(changes, (address) => readAt(tip, address));
        if (files.length === 0) return { written: [], attempts: attempt - 1, commit: tip };
        const commit = await commitFiles(git, tip, files, message, options.now());
        const lease = `--force-with-lease=${ref}:${tip ?? ''}`;
        const pushed = await git([
          'push',
          '--porcelain',
          '--no-verify',
          '--recurse-submodules=no',
          lease,
          remote,
          `${commit}:${ref}`,
        ]);
        const outcome = readPush(pushed);
        switch (outcome.kind) {
          case 'done':
            knownTip = Promise.resolve(commit);
            return { written: files.map((file) => file.path), attempts: attempt, commit };
          case 'denied':
            throw new RefusedError(deniedLine(place, outcome.detail));
          case 'transient':
            last = outcome.detail;
            faults++;
            break;
          case 'lost-race':
            break;
        }
        await pause(attempt);
      }
      throw new NoVerdictError(
        `the baseline was not stored on ${place} in ${faults < MOST_FAULTS ? maxAttempts : MOST_FAULTS} tries: ${last}`,
      );
    },
  };
}

function deniedLine(place: string, detail: string): string {
  return `the baseline was not stored: ${place} refused the push (${detail}): the job needs "contents: write", and no rule may protect this branch against it`;
}
