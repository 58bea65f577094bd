import { appendSessions } from '../../src/baseline/append-session.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import { type Chain, chainSinceAnchor, EMPTY_CHAIN, linkChain } from '../../src/baseline/chain.ts';
import { judgeCreepChain, needsAnchorRun } from '../../src/compare/creep.ts';
import { judgePairedRow } from '../../src/compare/paired-row.ts';
import { hodgesLehmann } from '../../src/compare/walsh.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';

const METRIC = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;
const HEADER = { model: 'm', class: 'c', facts: {} };
const ARM = { runtime: 'r', session: 's' };
/** Margin of the paired row. */
export const MARGIN = 0.03;
const CREEP_MARGIN = 0.05;
const DAY_SPREAD = 0.15;

/** The duet against the anchor's bytes, or the chain where they can't run. */
export type Decider = 'anchor' | 'chain';

export interface Duet {
  readonly decision: 'within' | 'beyond' | 'undecided';
  readonly ownLow: number | null;
  readonly base: readonly number[];
  readonly head: readonly number[];
  readonly log: number;
  readonly se: number;
}

/** A duet whose true log-ratio is `delta`, through the looks until decided; the day's speed is common to both arms. */
export function duet(delta: number, sigma: number, margin: number, normal: () => number): Duet {
  const day = Math.exp(DAY_SPREAD * normal());
  const base: number[] = [];
  const head: number[] = [];
  for (;;) {
    base.push(day);
    head.push(day * Math.exp(delta + sigma * normal()));
    const d = head.map((value, i) => Math.log(value / (base[i] ?? 1)));
    const series = { scale: 'ratio', d, base, head, negligible: 1e-6 } as const;
    const stage = d.length === LOOKS.at(-1) ? 'ended' : 'measuring';
    const family = { k: 1, memoryRows: 0, looks: [...LOOKS], stage } as const;
    const allowance = { margin: { fraction: margin, floor: 0 }, maxIncrease: null };
    const { decision, interval } = judgePairedRow(series, allowance, METRIC, family);
    if (decision === 'undecided' && stage === 'measuring') continue;
    const mean = d.reduce((a, b) => a + b, 0) / d.length;
    const sd = Math.sqrt(d.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (d.length - 1));
    return { decision, ownLow: interval[0], base, head, log: hodgesLehmann(d), se: sd / Math.sqrt(d.length) };
  }
}

export interface Outcome {
  /** Step at which creep failed; Infinity where it never did. */
  readonly failedAt: number;
  readonly noVerdicts: number;
  readonly anchorRuns: number;
}

/** Pushes of `step` each, stored by the real code; those without a verdict are not accepted, the next builds on them. */
export function history(steps: number, step: number, sigma: number, decider: Decider, normal: () => number): Outcome {
  let baseline: Baseline | null = null;
  let acceptedAt = 0;
  let noVerdicts = 0;
  let anchorRuns = 0;
  const store = (at: number, own: Duet | null): void => {
    baseline = appendSessions(baseline, HEADER, [
      {
        session: `s${at}`,
        acceptedAt: '2026-12-01T00:00:00Z',
        commit: null,
        host: 'h',
        case: 'c',
        workload: 'w',
        sha256: `v${at}`,
        arm: ARM,
        base: own === null ? null : { sha256: `v${acceptedAt}`, arm: ARM },
        metrics: { [METRIC.id]: { restarts: own?.head ?? [1], reference: [], ratioToBase: own } },
      },
    ]);
    acceptedAt = at;
  };
  store(0, null);
  for (let at = 1; at <= steps; at++) {
    const own = duet((at - acceptedAt) * step, sigma, MARGIN, normal);
    const chain: Chain = baseline === null ? EMPTY_CHAIN : chainSinceAnchor(baseline, 'c', METRIC.id);
    let creep: 'within' | 'beyond' | 'undecided' = 'within';
    if (decider === 'chain') {
      const link = linkChain(own, own.head.length);
      const row = judgeCreepChain({ metric: METRIC, chain, own: link, creepMargin: CREEP_MARGIN });
      creep = row.status === 'regressed' ? 'beyond' : 'within';
    } else if (needsAnchorRun(chain, 'lower', CREEP_MARGIN)) {
      anchorRuns++;
      creep = duet(at * step, sigma, CREEP_MARGIN, normal).decision;
    }
    if (creep === 'beyond') return { failedAt: at, noVerdicts, anchorRuns };
    if (own.decision === 'within' && creep === 'within') store(at, own);
    else noVerdicts++;
  }
  return { failedAt: Number.POSITIVE_INFINITY, noVerdicts, anchorRuns };
}
