import { readFile } from 'node:fs/promises';
import { RefusedError } from '../errors.ts';
import type { FeedFileFacts } from '../plan/feed-files.ts';
import { factsOfFeedFile, readFeedFile } from './feed-file.ts';
import type { Feed } from './feed-fill.ts';

/** Reads a `.npy` file, or one array of a `.npz`. `name` is how messages call it (default: the path). */
export async function loadFeedFile(
  path: string,
  key?: string,
  name = path,
): Promise<{ readonly feed: Feed; readonly facts: FeedFileFacts }> {
  const bytes = await readFile(path).catch(() => null);
  if (!bytes) throw new RefusedError(`input file ${JSON.stringify(name)} cannot be read: check the path in the config`);
  const feed = readFeedFile(bytes, name, key);
  return { feed, facts: factsOfFeedFile(bytes, feed) };
}
