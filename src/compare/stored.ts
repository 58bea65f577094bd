import { mean, sampleStandardDeviation } from 'simple-statistics';
import type { StoredMetric, StoredSession } from '../baseline/baseline-schema.ts';
import type { Margin } from '../metrics/metric-table.ts';
import type { MetricFacts } from './series.ts';
import { chooseHistory, costOf, countSessions, FEWEST_SESSIONS, type History, meanLog } from './stored-history.ts';
import { isSlowMode, judgeSession, type Prediction, predict } from './stored-interval.ts';
import { asChange, blankRow, concludeStored, type StoredRow } from './stored-row.ts';
import { reasonOf, warningsOf } from './stored-words.ts';

/** Today's sessions of head: one, and a second where the first was beyond the margin. */
export type HeadSession = Pick<StoredMetric, 'restarts' | 'reference'>;

export interface StoredRequest {
  readonly metric: MetricFacts;
  readonly margin: Margin;
  /** A margin of the config is kept as it is; the default one grows to what the sessions can carry. */
  readonly marginSource: 'default' | 'config';
  readonly workload: string;
  readonly host: string;
  readonly head: readonly HeadSession[];
  /** Entries of the case in the current epoch, oldest first (`currentSessions`). */
  readonly sessions: readonly StoredSession[];
  /** Gated rows judged by this rule in the whole manifest. */
  readonly k: number;
}

/** Margins below this many between-session deviations can't be judged: see second-look 18. */
const MARGIN_DEVIATIONS = 6;

/**
 * Head against stored sessions where base can't be run: a day-aware prediction interval on the cost relative to the
 * reference workload (statistics.md §4.4). Gated from 10 sessions and where the margin is 6 × the spread between them.
 */
export function judgeStored(request: StoredRequest): StoredRow {
  const { metric, head, workload, host, sessions } = request;
  const blank = blankRow(
    metric,
    head.flatMap((session) => session.restarts),
  );
  const [first] = head;
  if (first === undefined || blank.head === null)
    return { ...blank, status: 'invalid', reason: 'head was not measured' };
  const last = sessions.at(-1);
  if (last !== undefined && sessions.every((entry) => entry.workload !== workload)) {
    const reason = reasonOf({ kind: 'other-workload', stored: last.workload, head: workload });
    return { ...blank, role: 'gated', status: 'incomparable', reason };
  }
  const hasReference = head.every((session) => session.reference.length > 0);
  const history = chooseHistory({ metric, sessions, workload, host, hasReference });
  const costs = head.flatMap((session) => costOf(session, metric, history.scale) ?? []);
  if (costs.length < head.length) return { ...blank, status: 'invalid', reason: reasonOf({ kind: 'not-positive' }) };
  const few = reasonOf({ kind: 'few-sessions', history, fewest: FEWEST_SESSIONS });
  if (history.kept.length < 2) return { ...blank, history, reason: few };
  const scales = weigh(request, first, history);
  const row = {
    ...blank,
    history,
    ...describe(costs, scales, metric),
    warnings: warningsOf({ metric, history, ...scales }),
  };
  if (countSessions(history) < FEWEST_SESSIONS) return { ...row, reason: few };
  const { margin, needed, spread, prediction } = scales;
  if (margin < needed) return { ...row, reason: reasonOf({ kind: 'narrow-margin', needed, margin, spread }) };
  const decisions = costs.map((cost) => judgeSession(cost, margin, prediction));
  const isOldMode = isSlowMode(Math.min(...costs), margin, history.leftOut);
  return { ...row, role: 'gated', ...concludeStored(decisions, { isOldMode, history, margin, change: row.change }) };
}

interface Scales {
  readonly prediction: Prediction;
  readonly spread: number;
  /** What the accepted model would take today. */
  readonly base: number;
  /** The margin the sessions can carry, the one of policy, and the one that holds. */
  readonly needed: number;
  readonly plain: number;
  readonly margin: number;
}

function weigh({ metric, margin, marginSource, k }: StoredRequest, head: HeadSession, history: History): Scales {
  const costs = history.kept.map((entry) => entry.cost);
  const spread = sampleStandardDeviation(costs);
  const sign = metric.better === 'lower' ? 1 : -1;
  const base = Math.exp(sign * mean(costs) + (history.scale === 'plain' ? 0 : (meanLog(head.reference) ?? 0)));
  const needed = MARGIN_DEVIATIONS * spread;
  const plain = Math.max(margin.fraction, base > 0 ? margin.floor / base : 0);
  return {
    prediction: predict({ centre: mean(costs), spread, count: costs.length, k }),
    spread,
    base,
    needed,
    plain,
    margin: marginSource === 'default' ? Math.max(plain, needed) : plain,
  };
}

function describe(costs: readonly number[], { base, margin, prediction }: Scales, metric: MetricFacts) {
  const { centre, halfWidth, powerWidth } = prediction;
  const delta = mean([...costs]) - centre;
  const [low, high] = [asChange(delta - halfWidth, metric), asChange(delta + halfWidth, metric)];
  return {
    base,
    change: asChange(delta, metric),
    interval: (metric.better === 'lower' ? [low, high] : [high, low]) as [number, number],
    margin: metric.better === 'lower' ? margin : -margin,
    detectable: asChange(Math.log1p(margin) + halfWidth + powerWidth, metric),
  };
}
