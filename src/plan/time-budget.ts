/** Restart counts after which a row may be decided; DESIGN §6. */
export const LOOKS = [6, 9, 13, 19, 28, 41] as const;

export const DEFAULT_TIME_BUDGET_MS = 20 * 60_000;

export interface TimePlan {
  /** Minutes until an unchanged change passes: every group's first look. */
  readonly firstLookMinutes: number;
  /** Minutes until the least number of restarts that can prove a regression at this k. */
  readonly failPossibleMinutes: number;
  /** Null where the budget carries both; else what it does not carry, in words. */
  readonly shortfall: string | null;
}

/**
 * Predicts what a budget carries from the measured seconds of one restart of each group.
 * A fail needs n restarts with 2^-n at most half the family's share of a row, .05/(2k); second-look §3.
 */
export function planTime(secondsPerRestart: readonly number[], k: number, budgetMs: number): TimePlan {
  const perRestart = secondsPerRestart.reduce((sum, seconds) => sum + seconds, 0);
  const slowest = Math.max(0, ...secondsPerRestart);
  const firstLookMinutes = (perRestart * LOOKS[0]) / 60;
  const failLook = leastFailLook(k);
  const failPossibleMinutes = firstLookMinutes + (slowest * ((failLook ?? LOOKS[5]) - LOOKS[0])) / 60;
  const budgetMinutes = budgetMs / 60_000;
  return { firstLookMinutes, failPossibleMinutes, shortfall: describeShortfall() };

  function describeShortfall(): string | null {
    const minutes = (value: number) => `${Math.ceil(value * 10) / 10} min`;
    if (firstLookMinutes > budgetMinutes)
      return `the time budget of ${minutes(budgetMinutes)} does not carry the first look at every case (about ${minutes(firstLookMinutes)}): cases at the end stay undecided`;
    if (failLook === null || failPossibleMinutes > budgetMinutes)
      return `the time budget of ${minutes(budgetMinutes)} is too short to prove a regression (about ${minutes(failPossibleMinutes)}): this run can only pass or end undecided`;
    return null;
  }
}

/** The first look at which a row can be proven worse among `k` gated rows; null where no look suffices. */
export function leastFailLook(k: number): number | null {
  return LOOKS.find((look) => 2 ** -look <= 0.05 / (2 * Math.max(k, 1))) ?? null;
}
