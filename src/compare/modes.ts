/** Two groups of values that lie apart. */
export interface Modes {
  readonly low: number;
  readonly high: number;
  /** Values in the high group. */
  readonly highCount: number;
}

const MIN_GROUP = 3;
const MIN_VALUES = 9;
/** The gap between the groups, in widths of the wider group, that chance leaves in under 1 % of normal samples. */
const MIN_GAP = 2;
const MIN_GAP_SHARE = 0.005;

/**
 * Splits logs of restart values at their widest gap; null unless both groups have three values or more,
 * and the gap is twice the wider group and half a percent: process modes, not noise.
 */
export function findModes(logs: readonly number[]): Modes | null {
  if (logs.length < MIN_VALUES) return null;
  const sorted = [...logs].sort((a, b) => a - b);
  const gaps = sorted.slice(1).map((value, i) => value - (sorted[i] ?? value));
  const inner = gaps.slice(MIN_GROUP - 1, gaps.length - MIN_GROUP + 1);
  const widest = Math.max(...inner);
  const split = gaps.indexOf(widest, MIN_GROUP - 1) + 1;
  const [low, high] = [sorted.slice(0, split), sorted.slice(split)];
  const width = Math.max(rangeOf(low), rangeOf(high));
  if (widest < MIN_GAP * width || widest < MIN_GAP_SHARE) return null;
  return { low: middle(low), high: middle(high), highCount: high.length };
}

function rangeOf(sorted: readonly number[]): number {
  return (sorted.at(-1) ?? 0) - (sorted[0] ?? 0);
}

function middle(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
