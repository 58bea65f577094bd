import type { ModelFacts } from '../model/model-facts.ts';
import { elementBytes } from '../model/onnx-dtypes.ts';
import { ownValue } from '../model/own-value.ts';
import type { FeedSpec } from '../plan/plan.ts';

const MAX_POOL_BYTES = 256 * 2 ** 20;
const MIN_ID_FEEDS = 64;
/** Beyond this, filling takes longer than measuring and no run of 2 s meets a feed twice anyway. */
const MAX_FEEDS = 4096;
/** Heap that V8 takes for one tensor's objects beside its bytes. */
const TENSOR_OVERHEAD_BYTES = 256;

/** What the size of a pool depends on. */
export interface PoolNeeds {
  readonly bytesPerFeed: number;
  /** Bytes one feed makes the model touch: its own and the table rows it looks up. */
  readonly touchedBytesPerFeed: number;
  readonly lastLevelCacheBytes: number;
  readonly hasIntegerIds: boolean;
  /** `pool` of the config: taken as it is. */
  readonly requested: number | null;
}

/**
 * Distinct feeds in a pool: until the bytes touched exceed twice the last-level cache, at least 64 with integer ids,
 * at most 256 MiB and 4,096 feeds, at least one.
 */
export function poolSize(needs: PoolNeeds): number {
  if (needs.requested !== null) return needs.requested;
  const beyondCache = Math.floor((2 * needs.lastLevelCacheBytes) / Math.max(1, needs.touchedBytesPerFeed)) + 1;
  const wanted = Math.max(beyondCache, needs.hasIntegerIds ? MIN_ID_FEEDS : 1);
  const affordable = Math.floor(MAX_POOL_BYTES / Math.max(1, needs.bytesPerFeed));
  return Math.max(1, Math.min(wanted, affordable, MAX_FEEDS));
}

/** Pool needs of an arm's feeds; with the model's facts the table rows they look up count as touched. */
export function poolNeeds(
  feeds: readonly FeedSpec[],
  idUses: ModelFacts['idUses'],
  lastLevelCacheBytes: number,
  requested: number | null,
): PoolNeeds {
  const sizes = feeds.map(({ dtype, dims }) => elementBytes(dtype) * countOf(dims));
  const rows = feeds.map(({ name, dims }) => {
    const use = ownValue(idUses, name);
    return use?.kind === 'table' ? use.rowBytes * countOf(dims) : 0;
  });
  const fed = sizes.reduce((sum, bytes) => sum + bytes, 0);
  return {
    bytesPerFeed: fed + TENSOR_OVERHEAD_BYTES * feeds.length,
    touchedBytesPerFeed: fed + rows.reduce((sum, bytes) => sum + bytes, 0),
    lastLevelCacheBytes,
    hasIntegerIds: feeds.some(isIds),
    requested,
  };
}

function countOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}

/** Integers that are not one constant are taken for ids, whatever they index. */
function isIds({ dtype, source }: FeedSpec): boolean {
  return /^u?int(32|64)$/.test(dtype) && source.fill !== 'constant';
}
