const FIRST_MS = 200;
const LONGEST_MS = 8000;

/** Milliseconds before retry `attempt` (from 1): full jitter on an exponential bound; `random` in [0, 1). */
export function retryDelayMs(attempt: number, random: number): number {
  return Math.round(random * Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempt, 10)));
}
