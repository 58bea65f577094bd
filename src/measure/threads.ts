/** Processors as the kernel grants and groups them. */
export interface CpuGrant {
  /** Numbers of the processors this process may run on. */
  readonly allowed: readonly number[];
  /** Processors that share a core with each of them, itself included. */
  readonly siblings: Readonly<Record<number, readonly number[]>>;
  /** Processors per period of a quota; null without one. */
  readonly quotaCpus: number | null;
}

/** More threads seldom help one inference, and a gate's figures must not depend on the size of the host. */
const MOST_THREADS = 8;

/**
 * Threads of a session whose config names none: min(8, affinity, whole processors of the quota), at least 1. Read
 * by us, because Node versions disagree on quotas.
 */
export function chooseThreads(grant: CpuGrant): number {
  return Math.max(1, Math.min(MOST_THREADS, grant.allowed.length, Math.floor(grant.quotaCpus ?? Infinity)));
}

/**
 * Processors both arms are pinned to: the first of each physical core, as many as there are threads. Null where
 * pinning is of no use: all allowed processors are needed, or too few cores are there.
 */
export function chooseCores(grant: CpuGrant, threads: number): number[] | null {
  if (threads >= grant.allowed.length) return null;
  const seen = new Set<number>();
  const cores = grant.allowed.filter((cpu) => {
    const isFirst = !seen.has(cpu);
    for (const sibling of grant.siblings[cpu] ?? [cpu]) seen.add(sibling);
    return isFirst;
  });
  return threads <= cores.length ? cores.slice(0, threads) : null;
}

/** Numbers of a kernel list such as `0-3,8,10-11`. */
export function parseCpuList(text: string): number[] {
  return text
    .trim()
    .split(',')
    .filter((part) => /^\d+(-\d+)?$/.test(part))
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, offset) => from + offset);
    });
}
