import type { Feeds, Session } from './engine-edge.ts';

/** Distinct feeds and the place where the cycle goes on; both arms cycle theirs in the same order. */
export interface FeedPool {
  readonly feeds: readonly Feeds[];
  next: number;
}

/** What one turn cost: every iteration, and the process's own share of the processor. */
export interface Turn {
  readonly timesMs: Float64Array;
  readonly wallMs: number;
  readonly cpuMs: number;
}

/** Times `iterations` inferences back to back, in milliseconds each. Nothing else happens inside the window. */
export async function timeRuns(
  session: Session,
  pool: FeedPool,
  fetch: readonly string[],
  iterations: number,
): Promise<Turn> {
  const { feeds } = pool;
  const timesMs = new Float64Array(iterations);
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  for (let i = 0, next = pool.next; i < iterations; i++) {
    const feed = feeds[next] as Feeds;
    const beforeMs = performance.now();
    await session.run(feed, fetch);
    timesMs[i] = performance.now() - beforeMs;
    next = next + 1 === feeds.length ? 0 : next + 1;
  }
  const wallMs = performance.now() - startMs;
  const cpu = process.cpuUsage(cpuBefore);
  pool.next = (pool.next + iterations) % feeds.length;
  return { timesMs, wallMs, cpuMs: (cpu.user + cpu.system) / 1000 };
}
