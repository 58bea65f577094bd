import { resolve } from 'node:path';
import type { CaseSpec, FeedSpec } from '../plan/plan.ts';
import { loadFeedFile } from './feed-file-edge.ts';
import { type Feed, fillFeed } from './feed-fill.ts';
import { layOutPool, type PoolLayout, type StoredPool } from './pool-file.ts';
import { writeParts } from './staging-edge.ts';

/** Fills `size` feeds of a case and writes them to `file`. Paths of feed files are relative to `feedRoot`. */
export async function storePool(spec: CaseSpec, size: number, file: string, feedRoot: string): Promise<StoredPool> {
  const layout = layOutPool(spec.feeds, size);
  const stored = new Map<FeedSpec, Feed>();
  for (const feed of spec.feeds) {
    const { file: source, key } = feed.source;
    if (source !== undefined) stored.set(feed, (await loadFeedFile(resolve(feedRoot, source), key, source)).feed);
  }
  writeParts(file, parts(spec, layout, size, stored));
  return { file, layout, size };
}

function* parts(
  spec: CaseSpec,
  layout: PoolLayout,
  size: number,
  stored: ReadonlyMap<FeedSpec, Feed>,
): Generator<Uint8Array> {
  for (const [position, feed] of spec.feeds.entries()) {
    const bytesPerFeed = layout.inputs[position]?.bytesPerFeed ?? 0;
    for (let index = 0; index < size && bytesPerFeed > 0; index++) {
      const { data } = fillFeed(feed, index, stored.get(feed));
      const part = new Uint8Array(bytesPerFeed);
      if (!Array.isArray(data)) part.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
      yield part;
    }
  }
}
