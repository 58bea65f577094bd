import type { GpuHealth } from './gpu-health.ts';

/** The driver may choose a neighbouring step of the card's clock table. */
const TOLERANCE = 0.03;

/**
 * Whether locked clocks were kept: a lock is only a request to the driver, which tells nothing back, so the clocks
 * seen under load decide. Returns the sentence for the report; null where they held or none was seen.
 */
export function describeClocks(lockedMHz: number, seenMHz: readonly number[]): string | null {
  const strayed = seenMHz.filter((seen) => Math.abs(seen - lockedMHz) > TOLERANCE * lockedMHz);
  if (strayed.length === 0) return null;
  const range = [...new Set([Math.min(...strayed), Math.max(...strayed)])].join(' to ');
  return `clocks were locked at ${lockedMHz} MHz but ${range} MHz was seen under load in ${strayed.length} of ${seenMHz.length} restarts`;
}

/** The card, remembering the graphics clock it had under load at the end of each restart. */
export function rememberClocks(gpu: GpuHealth): { readonly gpu: GpuHealth; readonly seenMHz: readonly number[] } {
  const seenMHz: number[] = [];
  const judge: GpuHealth['judge'] = async (before, ownPids) => {
    const health = await gpu.judge(before, ownPids);
    const clock = health.facts['gpu.clockSmMHz'];
    if (clock !== undefined) seenMHz.push(clock);
    return health;
  };
  return { gpu: { ...gpu, judge }, seenMHz };
}
