import type { FeedSpec } from '../plan/plan.ts';
import type { Feeds } from './engine-edge.ts';
import { dataBytes, fillFeed, toTensorLike } from './feed-fill.ts';

/** Builds `size` distinct feeds, the same in every process, and counts the bytes they hold. */
export function buildPool(specs: readonly FeedSpec[], size: number): { feeds: Feeds[]; bytes: number } {
  let bytes = 0;
  const feeds = Array.from({ length: size }, (_, position) =>
    Object.fromEntries(
      specs.map((spec) => {
        const feed = fillFeed(spec, position);
        bytes += dataBytes(feed.data);
        return [spec.name, toTensorLike(feed)];
      }),
    ),
  );
  return { feeds, bytes };
}
