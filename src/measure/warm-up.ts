import { median } from 'simple-statistics';

const WINDOWS = 3;
const STEADY_WITHIN = 1.03;

/**
 * Whether the last three windows of warm-up have medians within 3 %. A window is `windowMs` of runs, at least one.
 * Fewer than three windows are never steady.
 */
export function isSteady(timesMs: readonly number[], windowMs: number): boolean {
  const medians = lastWindows(timesMs, windowMs).map((window) => median(window));
  return medians.length === WINDOWS && Math.max(...medians) <= STEADY_WITHIN * Math.min(...medians);
}

/** The last three full windows, cut from the end so that what is judged is what comes next. */
function lastWindows(timesMs: readonly number[], windowMs: number): number[][] {
  const windows: number[][] = [];
  let end = timesMs.length;
  let sum = 0;
  for (let start = timesMs.length - 1; start >= 0 && windows.length < WINDOWS; start--) {
    sum += timesMs[start] ?? 0;
    if (sum < windowMs) continue;
    windows.push(timesMs.slice(start, end));
    end = start;
    sum = 0;
  }
  return windows;
}
