import { median } from 'simple-statistics';
import type { Baseline, StoredSession } from '../baseline/baseline-schema.ts';
import { metricOf } from '../baseline/chain.ts';
import { DEFAULT_EFFORT, restartSeconds } from './effort.ts';

/** Sessions that say how many restarts a case usually needs. */
const RECENT_SESSIONS = 5;
/** Unmeasured starts before the first restart, in restarts. */
const PRIMING = 1;

/**
 * Seconds that cases of one model will take, from how long they and their loading took before, on any machine class;
 * a case that no session knows counts as `otherwise`. Null where none is known.
 */
export function pastSeconds(
  baselines: readonly Baseline[],
  caseIds: readonly string[],
  otherwise: number,
): number | null {
  const seconds = caseIds.map((id) => caseSeconds(baselines, id));
  if (seconds.every((known) => known === null)) return null;
  return seconds.reduce<number>((sum, known) => sum + (known ?? otherwise), 0);
}

function caseSeconds(baselines: readonly Baseline[], caseId: string): number | null {
  const sessions = baselines
    .flatMap((baseline) => baseline.sessions.filter((entry) => entry.case === caseId))
    .sort((a, b) => Date.parse(a.acceptedAt) - Date.parse(b.acceptedAt))
    .slice(-RECENT_SESSIONS);
  const latencyMs = centre(sessions, 'latency.p50');
  if (latencyMs === null) return null;
  const loadMs = centre(sessions, 'load.time') ?? 0;
  const restarts = median(sessions.map((entry) => metricOf(entry, 'latency.p50')?.restarts.length ?? 0));
  return (restarts + PRIMING) * (restartSeconds(latencyMs, DEFAULT_EFFORT) + (2 * loadMs) / 1000);
}

/** Median over sessions of their medians; null where the metric was not measured. */
function centre(sessions: readonly StoredSession[], metric: string): number | null {
  const values = sessions
    .map((entry) => [...(metricOf(entry, metric)?.restarts ?? [])])
    .filter((restarts) => restarts.length > 0);
  return values.length === 0 ? null : median(values.map(median));
}
