import { resolve } from 'node:path';
import type { InputSpec } from '../inputs/gate-config.ts';
import { type FeedFiles, feedFileKey } from '../plan/feed-files.ts';
import { loadFeedFile } from './feed-file-edge.ts';

/**
 * Facts of every `.npy` and `.npz` file that the inputs of a model name, by key; paths are relative to `root`.
 * @throws RefusedError for a file that can't be read.
 */
export async function readFeedFiles(inputs: Readonly<Record<string, InputSpec>>, root: string): Promise<FeedFiles> {
  const named = Object.values(inputs).flatMap(({ file, key }) => (file === undefined ? [] : [{ file, key }]));
  const read = named.map(async ({ file, key }) => {
    const { facts } = await loadFeedFile(resolve(root, file), key, file);
    return [feedFileKey(file, key), facts] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
