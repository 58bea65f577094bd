import jstat from 'jstat';
import { type Chain, joinChains } from '../baseline/chain.ts';
import type { Better } from '../metrics/metric-table.ts';
import type { MetricFacts } from './series.ts';

/** Bias a link of the chain may have without anybody knowing: accepted estimates are selected, machines favour an arm. */
const BIAS_PER_STEP = 0.001;
const LEVEL = 0.05;
/** From here on Student's t is the normal distribution. */
const MANY_DEGREES = 1e6;
/** A chain whose standard error exceeds this share of the margin does not decide. */
const LARGEST_SE_SHARE = 1 / 3;

/** Creep margin where the config names none. */
export const DEFAULT_CREEP_MARGIN = 0.05;

/**
 * Whether the next session must measure head against the anchor too: the chain less one standard error lies above half
 * the creep margin, or a link is missing so that nobody knows. `chain` is in the value's own direction.
 */
export function needsAnchorRun(chain: Chain, better: Better, creepMargin: number): boolean {
  return chain.broken || costLog(chain, better) - chain.se > Math.log1p(creepMargin) / 2;
}

export interface CreepRequest {
  readonly metric: MetricFacts;
  /** The newest accepted session against the anchor (`chainSinceAnchor`). */
  readonly chain: Chain;
  /** This change against the newest accepted session (`linkChain`); null where it was not measured. */
  readonly own: Chain | null;
  readonly creepMargin: number;
}

/** A verdict's row but for its place and values: the chain knows ratios only. */
export interface CreepRow {
  readonly comparison: 'creep';
  readonly role: 'gated' | 'advisory';
  readonly status: 'pass' | 'regressed' | 'inconclusive';
  readonly base: null;
  readonly head: null;
  readonly unit: string;
  readonly better: Better;
  readonly change: number;
  readonly interval: [number, number] | null;
  readonly margin: number;
  readonly restarts: 0;
  readonly detectable: number | null;
  readonly reason: string;
  readonly proven: 'worse' | null;
  readonly furtherRestarts: null;
  readonly warnings: [];
}

/**
 * The chain's own decision, only where the anchor can't run: t quantiles on Satterthwaite's degrees of freedom and 0.1 %
 * bias allowance a step. What it can't settle is advisory, so that a noisy chain never blocks a change.
 */
export function judgeCreepChain({ metric, chain, own, creepMargin }: CreepRequest): CreepRow {
  const total = own === null ? chain : joinChains(chain, own);
  const cost = costLog(total, metric.better);
  const mu = Math.log1p(creepMargin);
  const sign = metric.better === 'lower' ? 1 : -1;
  const row: Omit<CreepRow, 'reason'> = {
    comparison: 'creep',
    role: 'advisory',
    status: 'inconclusive',
    base: null,
    head: null,
    unit: metric.unit,
    better: metric.better,
    change: Math.expm1(total.log),
    interval: null,
    margin: sign * creepMargin,
    restarts: 0,
    detectable: null,
    proven: null,
    furtherRestarts: null,
    warnings: [],
  };
  const interval = (low: number, high: number): [number, number] =>
    sign > 0 ? [Math.expm1(low), Math.expm1(high)] : [Math.expm1(-high), Math.expm1(-low)];
  if (total.broken) {
    return {
      ...row,
      reason: 'a link since the anchor is missing and the anchor can’t be run: accept a session with a reason',
    };
  }
  const half = total.se === 0 ? 0 : jstat.studentt.inv(1 - LEVEL, Math.min(total.df, MANY_DEGREES)) * total.se;
  const allowance = BIAS_PER_STEP * total.steps;
  const [low, high] = [cost - half, cost + half];
  const shown = { ...row, interval: interval(low, high), detectable: Math.expm1(sign * (mu + 2 * half + allowance)) };
  const sum = `${signed(Math.expm1(total.log))} over ${total.steps} accepted steps since the anchor, by their chain`;
  if (total.se > LARGEST_SE_SHARE * mu) {
    return { ...shown, reason: `${sum}: too uncertain (± ${percent(total.se)}) to judge ${percent(creepMargin)}` };
  }
  if (low - allowance > mu) {
    const reason = `${sum}: beyond ${percent(creepMargin)}; accept it with a reason, or win it back`;
    return { ...shown, role: 'gated', status: 'regressed', proven: 'worse', reason };
  }
  if (high <= mu) return { ...shown, role: 'gated', status: 'pass', reason: `${sum}: within ${percent(creepMargin)}` };
  return { ...shown, reason: `${sum}: not settled against ${percent(creepMargin)}` };
}

/** The row as a verdict holds it. */
export function creepRowOf(caseId: string, metric: string, row: CreepRow) {
  return { ...row, case: caseId, metric, limit: null };
}

/** A chain's log as a cost: worse is positive. */
export function costLog(chain: Chain, better: Better): number {
  return better === 'lower' ? chain.log : -chain.log;
}

function percent(fraction: number): string {
  return `${Number((100 * fraction).toPrecision(2))} %`;
}

function signed(fraction: number): string {
  return `${fraction > 0 ? '+' : ''}${percent(fraction)}`;
}
