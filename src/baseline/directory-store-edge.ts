import { lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeThrown, RefusedError } from '../errors.ts';
import { applyChanges, type FileChange } from './apply-changes.ts';
import { parseBaselineAt } from './baseline-file.ts';
import { BASELINES_FOLDER, baselinePath, modelFolder } from './baseline-path.ts';
import type { BaselineAddress, BaselineStore, StoredFile } from './baseline-store.ts';
import { gitIn } from './git-edge.ts';
import { readTree } from './git-tree-edge.ts';

export interface DirectoryStoreOptions {
  /** Root of the work tree. */
  readonly repository: string;
  /** The commit to read from: the base of a change; null reads the work tree (the `baseline` commands). */
  readonly commit: string | null;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const TEMPORARY = '.model-gate-tmp';

/** Baselines in `baselines/` of the tree: read from a commit, so that a change can't bring its own, written to the work tree. */
export function openDirectoryStore({ repository, commit, environment }: DirectoryStoreOptions): BaselineStore {
  const git = gitIn(repository, environment);
  const place = commit === null ? `${BASELINES_FOLDER}/` : `${BASELINES_FOLDER}/ at ${commit.slice(0, 12)}`;
  const filesAt = (path: string): Promise<StoredFile[]> =>
    commit === null ? readWorkTree(repository, path) : readTree(git, commit, path);
  const parse = (file: StoredFile | undefined, address: BaselineAddress) =>
    file === undefined ? null : parseBaselineAt(file.text, address, file.path);
  return {
    kind: 'directory',
    place,
    read: async (address) => parse((await filesAt(baselinePath(address)))[0], address),
    files: (model) => filesAt(model === null ? BASELINES_FOLDER : modelFolder(model)),
    update: async (changes) => {
      const files = await applyChanges(changes, async (address) =>
        parse((await readWorkTree(repository, baselinePath(address)))[0], address),
      );
      await writeAll(repository, files);
      return { written: files.map((file) => file.path), attempts: 1, commit: null };
    },
  };
}

async function readWorkTree(repository: string, path: string): Promise<StoredFile[]> {
  await refuseLinks(repository, path);
  const file = join(repository, path);
  const found = await lstat(file).catch(() => null);
  if (found?.isFile()) return [{ path, text: await readFile(file, 'utf8') }];
  if (!found?.isDirectory()) return [];
  const names = (await readdir(file)).filter((name) => !name.endsWith(TEMPORARY)).sort();
  return (await Promise.all(names.map((name) => readWorkTree(repository, `${path}/${name}`)))).flat();
}

/** A link in the tree of a change could lead reads and writes anywhere. */
async function refuseLinks(repository: string, path: string): Promise<void> {
  const parts = path.split('/');
  for (let count = 1; count <= parts.length; count++) {
    const part = parts.slice(0, count).join('/');
    const found = await lstat(join(repository, part)).catch(() => null);
    if (found?.isSymbolicLink())
      throw new RefusedError(`${part} is a symbolic link: baselines are plain files of the tree`);
  }
}

/** All temporary files are written before the first rename, so that a full disk changes nothing. */
async function writeAll(repository: string, files: readonly FileChange[]): Promise<void> {
  const temporary = (path: string): string => join(repository, path + TEMPORARY);
  try {
    for (const { path, text } of files) {
      await mkdir(join(repository, dirname(path)), { recursive: true });
      if (text !== null) await writeFile(temporary(path), text);
    }
    for (const { path, text } of files) {
      const file = join(repository, path);
      await (text === null ? rm(file, { force: true }) : rename(temporary(path), file));
    }
  } catch (thrown) {
    await Promise.all(files.map(({ path }) => rm(temporary(path), { force: true }).catch(() => {})));
    throw new RefusedError(`the baseline was not stored in ${BASELINES_FOLDER}/: ${describeThrown(thrown)}`);
  }
}
