import jstat from 'jstat';
import { medianOf, type PeerEvidence } from './peer-evidence.ts';
import { mannWhitneyP } from './rank-sum.ts';
import { quantileOf } from './restart-summary.ts';

/** A rule of another tool, written anew from its documentation: does it report a regression? */
export interface PeerRule {
  readonly id: string;
  readonly title: string;
  /** Process starts that one row costs, and stored sessions it needs. */
  readonly cost: string;
}

/** All rules beside ours. None of them is the tool itself. */
export const PEER_RULES: readonly PeerRule[] = [
  { id: 'ratio5', title: 'one run each, ratio over 1.05', cost: '2' },
  { id: 'ratio10', title: 'one run each, ratio over 1.10', cost: '2' },
  { id: 'ratio200', title: 'one run each, ratio over 2.00', cost: '2' },
  { id: 'welch', title: 'Welch’s t on pooled iterations', cost: '20' },
  { id: 'pooled', title: 'Mann-Whitney on pooled iterations', cost: '20' },
  { id: 'medians', title: 'Mann-Whitney on run medians, base first', cost: '20' },
  { id: 't', title: 't on history', cost: '1 and 30 stored' },
  { id: 'z', title: 'z on history', cost: '1 and 30 stored' },
  { id: 'criterion', title: 'criterion-like', cost: '2' },
  { id: 'nvbench', title: 'nvbench-robust-like', cost: '2' },
];

const LEVEL = 0.05;
const HISTORY_LEVEL = 0.99;
const CRITERION_SAMPLES = 100;
const CRITERION_NOISE = 0.01;
const NVBENCH_GAP = 0.005;

/** What the rules look at, once for all sizes of a change. */
export interface PreparedEvidence {
  readonly medians: { readonly base: Float64Array; readonly head: Float64Array };
  readonly single: { readonly base: number; readonly head: number };
  readonly pooled: { readonly base: Float64Array; readonly head: Float64Array };
  readonly moments: { readonly base: Moments; readonly head: Moments };
  readonly criterion: { readonly base: Moments; readonly head: Moments };
  readonly robust: { readonly baseQ3: number; readonly headMin: number };
  readonly history: Moments;
  readonly today: number;
}

interface Moments {
  readonly n: number;
  readonly mean: number;
  readonly variance: number;
}

/** Sorts and sums the evidence. Single runs are the last of base and the first of head, next to each other in time. */
export function prepareEvidence({ base, head, history, today }: PeerEvidence): PreparedEvidence {
  const [lastBase, firstHead] = [base.at(-1) ?? new Float64Array(), head[0] ?? new Float64Array()];
  const pooled = { base: concatenate(base).sort(), head: concatenate(head).sort() };
  return {
    medians: { base: Float64Array.from(base, medianOf).sort(), head: Float64Array.from(head, medianOf).sort() },
    single: { base: medianOf(lastBase), head: medianOf(firstHead) },
    pooled,
    moments: { base: momentsOf(pooled.base), head: momentsOf(pooled.head) },
    criterion: { base: momentsOf(samplesOf(lastBase)), head: momentsOf(samplesOf(firstHead)) },
    robust: { baseQ3: quantileOf(lastBase.slice().sort(), 0.75), headMin: Math.min(...firstHead) },
    history: momentsOf(Float64Array.from(history)),
    today,
  };
}

/** Whether the rule reports a regression when head takes `factor` times what was drawn. */
export function reportsRegression(id: string, evidence: PreparedEvidence, factor: number): boolean {
  const { single, moments, criterion, robust, history } = evidence;
  switch (id) {
    case 'ratio5':
      return (factor * single.head) / single.base > 1.05;
    case 'ratio10':
      return (factor * single.head) / single.base > 1.1;
    case 'ratio200':
      return (factor * single.head) / single.base > 2;
    case 'welch': {
      const { t, df } = welch(moments.base, scale(moments.head, factor));
      return t > 0 && tailOf(t, df) < LEVEL / 2;
    }
    case 'pooled':
    case 'medians': {
      const { base, head } = evidence[id];
      const { p, isHeadLarger } = mannWhitneyP(base, head, factor);
      return isHeadLarger && p < LEVEL;
    }
    case 't':
    case 'z': {
      const isT = id === 't';
      const quantile = isT ? jstat.studentt.inv(HISTORY_LEVEL, history.n - 1) : jstat.normal.inv(HISTORY_LEVEL, 0, 1);
      const spread = Math.sqrt(history.variance * (isT ? 1 + 1 / history.n : 1));
      return factor * evidence.today > history.mean + quantile * spread;
    }
    case 'criterion':
      return isCriterionRegression(criterion.base, scale(criterion.head, factor));
    case 'nvbench':
      return factor * robust.headMin > robust.baseQ3 * (1 + NVBENCH_GAP);
    default:
      throw new Error(`no rule is called ${id}`);
  }
}

/** p below .05 and the whole 95 % interval of the change of means above 1 %; normal intervals stand for its bootstrap. */
function isCriterionRegression(base: Moments, head: Moments): boolean {
  const { t, df } = welch(base, head);
  const ratio = head.mean / base.mean;
  const relative = Math.sqrt(head.variance / head.n / head.mean ** 2 + base.variance / base.n / base.mean ** 2);
  const isChanged = 2 * tailOf(Math.abs(t), df) < LEVEL;
  return isChanged && ratio * (1 - 1.96 * relative) - 1 > CRITERION_NOISE;
}

/** Equal stretches of a run, each by its mean. */
function samplesOf(run: Float64Array): Float64Array {
  const length = run.length / CRITERION_SAMPLES;
  return Float64Array.from({ length: CRITERION_SAMPLES }, (_, index) => {
    const stretch = run.subarray(Math.floor(index * length), Math.floor((index + 1) * length));
    return stretch.reduce((sum, value) => sum + value, 0) / stretch.length;
  });
}

function welch(base: Moments, head: Moments): { t: number; df: number } {
  const [a, b] = [base.variance / base.n, head.variance / head.n];
  return {
    t: (head.mean - base.mean) / Math.sqrt(a + b),
    df: (a + b) ** 2 / (a ** 2 / (base.n - 1) + b ** 2 / (head.n - 1)),
  };
}

function tailOf(t: number, df: number): number {
  return 1 - jstat.studentt.cdf(t, df);
}

function scale({ n, mean, variance }: Moments, factor: number): Moments {
  return { n, mean: factor * mean, variance: factor ** 2 * variance };
}

function momentsOf(values: Float64Array): Moments {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { n: values.length, mean, variance: square / (values.length - 1) };
}

function concatenate(runs: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(runs.reduce((sum, run) => sum + run.length, 0));
  let at = 0;
  for (const run of runs) {
    all.set(run, at);
    at += run.length;
  }
  return all;
}
