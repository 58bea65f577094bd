import { median } from 'simple-statistics';
import type { BaselineNote } from '../baseline/choose-reference.ts';
import type { MetricFacts } from './series.ts';
import type { History } from './stored-history.ts';
import type { SessionDecision } from './stored-interval.ts';
import { reasonOf } from './stored-words.ts';

/** A verdict's row but for its place. Fractions in the value's own direction. */
export interface StoredRow {
  readonly comparison: 'stored';
  readonly role: 'gated' | 'advisory';
  readonly status: 'pass' | 'improved' | 'regressed' | 'inconclusive' | 'no-baseline' | 'incomparable' | 'invalid';
  /** What the accepted model would take today, by its sessions; canonical unit. */
  readonly base: number | null;
  readonly head: number | null;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly change: number | null;
  /** Prediction interval between sessions, both ends at 5 %. */
  readonly interval: [number, number] | null;
  readonly margin: number | null;
  readonly restarts: number;
  readonly detectable: number | null;
  readonly reason: string;
  readonly proven: 'worse' | 'better' | null;
  readonly furtherRestarts: null;
  readonly warnings: BaselineNote[];
  /** Measure head once more, in a session of its own, before the row turns red. */
  readonly needsSecondSession: boolean;
  readonly history: History | null;
}

/** The row before anything is known: advisory, without a baseline. */
export function blankRow(metric: MetricFacts, restarts: readonly number[]): StoredRow {
  return {
    comparison: 'stored',
    role: 'advisory',
    status: 'no-baseline',
    base: null,
    head: restarts.length === 0 ? null : median([...restarts]),
    unit: metric.unit,
    better: metric.better,
    change: null,
    interval: null,
    margin: null,
    restarts: restarts.length,
    detectable: null,
    reason: '',
    proven: null,
    furtherRestarts: null,
    warnings: [],
    needsSecondSession: false,
    history: null,
  };
}

/** The row as a verdict holds it. */
export function storedRowOf(caseId: string, metric: string, row: StoredRow) {
  const { needsSecondSession: _, history: __, ...figures } = row;
  return { ...figures, case: caseId, metric, limit: null };
}

/** A cost log ratio (worse positive) as a fraction of the value. */
export function asChange(logRatio: number, { better }: Pick<MetricFacts, 'better'>): number {
  return Math.expm1(better === 'lower' ? logRatio : -logRatio);
}

export interface Conclusion {
  readonly isOldMode: boolean;
  readonly history: History;
  readonly margin: number;
  readonly change: number;
}

/** The status of a row that the sessions can carry, from the decisions on each session of head. */
export function concludeStored(
  decisions: readonly SessionDecision[],
  { isOldMode, history, margin, change }: Conclusion,
): Pick<StoredRow, 'status' | 'reason' | 'proven' | 'needsSecondSession'> {
  const settled = { needsSecondSession: false, proven: null };
  const beyond = decisions.filter((decision) => decision === 'beyond').length;
  const words = { history, margin, change, sessions: decisions.length };
  if (beyond > 0 && isOldMode)
    return { ...settled, status: 'inconclusive', reason: reasonOf({ kind: 'old-mode', ...words }) };
  if (beyond === decisions.length && beyond > 1) {
    return { ...settled, status: 'regressed', proven: 'worse', reason: reasonOf({ kind: 'beyond', ...words }) };
  }
  if (beyond === decisions.length) {
    return {
      ...settled,
      status: 'inconclusive',
      needsSecondSession: true,
      reason: reasonOf({ kind: 'once-beyond', ...words }),
    };
  }
  if (decisions.every((decision) => decision === 'improved')) {
    return { ...settled, status: 'improved', proven: 'better', reason: reasonOf({ kind: 'improved', ...words }) };
  }
  if (decisions.every((decision) => decision === 'within' || decision === 'improved')) {
    return { ...settled, status: 'pass', reason: reasonOf({ kind: 'within', ...words }) };
  }
  return {
    ...settled,
    status: 'inconclusive',
    reason: reasonOf({ kind: beyond > 0 ? 'disagree' : 'undecided', ...words }),
  };
}
