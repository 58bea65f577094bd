import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCgroupLimits } from './cgroup-edge.ts';
import { freeBytes, parseCacheSize } from './host-memory.ts';

const CACHES = '/sys/devices/system/cpu/cpu0/cache';
/** Where the kernel tells nothing: a common server's share of last-level cache. */
const USUAL_CACHE_BYTES = 32 * 2 ** 20;

/** Bytes more processes may take now; null where the system does not say. */
export function readFreeBytes(): number | null {
  return freeBytes(readText('/proc/meminfo') ?? '', readCgroupLimits());
}

/** Bytes of the largest processor cache. */
export function readLastLevelCacheBytes(): number {
  const sizes = listFolder(CACHES).map((index) => parseCacheSize(readText(join(CACHES, index, 'size')) ?? '') ?? 0);
  return Math.max(0, ...sizes) || USUAL_CACHE_BYTES;
}

/** Text of a file of the system; null where it cannot be read. */
export function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Names in a folder; none where it cannot be read. */
export function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
