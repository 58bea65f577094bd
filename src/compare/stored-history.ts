import { median, medianAbsoluteDeviation } from 'simple-statistics';
import type { StoredMetric, StoredSession } from '../baseline/baseline-schema.ts';
import { metricOf } from '../baseline/chain.ts';
import { MAD_TO_SD } from '../baseline/choose-reference.ts';
import { FULL_SESSIONS } from '../baseline/compact-baseline.ts';
import type { MetricFacts } from './series.ts';

/** One session's cost as one number: mean over restarts of log(model) − log(reference), worse is positive. */
export interface SessionCost {
  readonly session: string;
  readonly cost: number;
}

/** The sessions a stored comparison stands on. */
export interface History {
  /** `ratio`: costs relative to the reference workload; `plain`: one host's own, without it. */
  readonly scale: 'ratio' | 'plain';
  readonly hosts: 'same' | 'any';
  readonly kept: readonly SessionCost[];
  /** Beyond 3.5 robust deviations, at most one in five. */
  readonly leftOut: readonly SessionCost[];
}

/** Sessions from which a stored row may be gated; those left out count, they were measured. */
export const FEWEST_SESSIONS = 10;

const OUTLIER_DEVIATIONS = 3.5;
const OUTLIER_SHARE = 0.2;
/** Differences this small are never outliers, however equal the other sessions are. */
const SMALLEST_DEVIATION = 1e-3;

export interface HistoryRequest {
  readonly metric: MetricFacts;
  /** Sessions of one case in the current epoch, oldest first. */
  readonly sessions: readonly StoredSession[];
  readonly workload: string;
  readonly host: string;
  readonly hasReference: boolean;
}

/**
 * The widest honest history: the same host's sessions where there are enough, else all hosts' relative to the reference
 * workload, never pooled without it. Outliers are left out.
 */
export function chooseHistory({ metric, sessions, workload, host, hasReference }: HistoryRequest): History {
  const any = sessions.filter((entry) => entry.workload === workload);
  const own = any.filter((entry) => entry.host === host);
  const candidates: Omit<History, 'leftOut'>[] = [
    ...(hasReference
      ? [
          { scale: 'ratio', hosts: 'same', kept: sessionCosts(sessions, own, metric, 'ratio') } as const,
          { scale: 'ratio', hosts: 'any', kept: sessionCosts(sessions, any, metric, 'ratio') } as const,
        ]
      : []),
    { scale: 'plain', hosts: 'same', kept: sessionCosts(sessions, own, metric, 'plain') },
  ];
  const enough = candidates.find((candidate) => candidate.kept.length >= FEWEST_SESSIONS);
  const chosen = enough ?? candidates.reduce((a, b) => (b.kept.length > a.kept.length ? b : a));
  return { ...chosen, ...leaveOutliers(chosen.kept) };
}

/** Sessions of the history, outliers among them. */
export function countSessions({ kept, leftOut }: History): number {
  return kept.length + leftOut.length;
}

/** Mean over restarts of the log cost; null where a value is not positive or there is none. */
export function costOf(
  stored: Pick<StoredMetric, 'restarts' | 'reference'>,
  metric: MetricFacts,
  scale: History['scale'],
): number | null {
  const sign = metric.better === 'lower' ? 1 : -1;
  const model = meanLog(stored.restarts);
  const reference = scale === 'plain' ? 0 : meanLog(stored.reference);
  return model === null || reference === null ? null : sign * (model - reference);
}

/** Mean of the logs; null for no values and for values that are not positive. */
export function meanLog(values: readonly number[]): number | null {
  const logs = values.map(Math.log);
  const mean = logs.reduce((sum, value) => sum + value, 0) / logs.length;
  return Number.isFinite(mean) ? mean : null;
}

/**
 * Costs of `wanted` as the newest accepted model would have had them: later accepted steps are added by their paired
 * ratios, so that the spread holds days and not changes of the model. Sessions before a missing link are dropped.
 */
function sessionCosts(
  all: readonly StoredSession[],
  wanted: readonly StoredSession[],
  metric: MetricFacts,
  scale: History['scale'],
): SessionCost[] {
  const sign = metric.better === 'lower' ? 1 : -1;
  const costs: SessionCost[] = [];
  let later = 0;
  // Before the last full sessions lie folded ones, whose links are not here.
  for (const entry of all.slice(-FULL_SESSIONS).toReversed()) {
    const stored = metricOf(entry, metric.id);
    if (stored === undefined) continue;
    const cost = wanted.includes(entry) ? costOf(stored, metric, scale) : null;
    if (cost !== null) costs.unshift({ session: entry.session, cost: cost + later });
    if (stored.ratioToPrevious === null) break;
    later += sign * stored.ratioToPrevious.log;
  }
  return costs;
}

function leaveOutliers(costs: readonly SessionCost[]): Pick<History, 'kept' | 'leftOut'> {
  const values = costs.map((entry) => entry.cost);
  if (values.length < 3) return { kept: costs, leftOut: [] };
  const centre = median(values);
  const deviation = Math.max(SMALLEST_DEVIATION, MAD_TO_SD * medianAbsoluteDeviation(values));
  const isOut = ({ cost }: SessionCost) => Math.abs(cost - centre) > OUTLIER_DEVIATIONS * deviation;
  const leftOut = costs.filter(isOut);
  // More than that are no outliers but how the machine behaves: they stay in the spread.
  if (leftOut.length > OUTLIER_SHARE * costs.length) return { kept: costs, leftOut: [] };
  return { kept: costs.filter((entry) => !isOut(entry)), leftOut };
}
