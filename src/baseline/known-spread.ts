import { median } from 'simple-statistics';
import type { Baseline } from './baseline-schema.ts';
import { currentSessions, metricOf } from './chain.ts';

const RECENT_SESSIONS = 3;

/**
 * Spread (standard deviation) of one restart's log-ratio on this machine class: the median of the last three measured
 * sessions; null where unknown. A row whose margin is smaller is reported from the start (DESIGN §5).
 */
export function knownSpread(baseline: Baseline, caseId: string, metric: string): number | null {
  const spreads = currentSessions(baseline, caseId)
    .flatMap((entry) => metricOf(entry, metric) ?? [])
    .flatMap(({ ratioToPrevious: ratio, restarts }) =>
      ratio && ratio.se > 0 ? ratio.se * Math.sqrt(restarts.length) : [],
    )
    .slice(-RECENT_SESSIONS);
  return spreads.length === 0 ? null : median(spreads);
}
