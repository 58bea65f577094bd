import type { Baseline, FoldedRatio, Ratio, StoredMetric, StoredSession } from './baseline-schema.ts';

/** Product of paired ratios from one session to a later one, in the value's own direction. */
export interface Chain {
  readonly log: number;
  readonly se: number;
  /** Degrees of freedom of `se` by Satterthwaite; Infinity where every link is exact. */
  readonly df: number;
  /** Links that were measured; links of identical arms are exact and add nothing. */
  readonly steps: number;
  /** A link is missing: the sum says nothing about where the chain started. */
  readonly broken: boolean;
}

export const EMPTY_CHAIN: Chain = { log: 0, se: 0, df: Number.POSITIVE_INFINITY, steps: 0, broken: false };

/** The two chains one after the other; Satterthwaite: df = (sum of v)^2 / sum of (v^2 / df). */
export function joinChains(first: Chain, second: Chain): Chain {
  const [a, b] = [first.se ** 2, second.se ** 2];
  const weight = a ** 2 / first.df + b ** 2 / second.df;
  return {
    log: first.log + second.log,
    se: Math.sqrt(a + b),
    df: weight === 0 ? Number.POSITIVE_INFINITY : (a + b) ** 2 / weight,
    steps: first.steps + second.steps,
    broken: first.broken || second.broken,
  };
}

/** One link as a chain: `restarts` are those its standard error comes from; null is a missing link. */
export function linkChain(ratio: Ratio | null, restarts: number): Chain {
  if (ratio === null) return { ...EMPTY_CHAIN, broken: true };
  if (ratio.log === 0 && ratio.se === 0) return EMPTY_CHAIN;
  return { log: ratio.log, se: ratio.se, df: Math.max(1, restarts - 1), steps: 1, broken: false };
}

/** The folded sum of a baseline as a chain, and back. */
export function unfold(sum: FoldedRatio | undefined, sessions: number): Chain {
  if (sum === undefined) return EMPTY_CHAIN;
  return {
    log: sum.log,
    se: sum.se,
    df: sum.df ?? Number.POSITIVE_INFINITY,
    steps: sum.steps ?? sessions,
    broken: sum.broken ?? false,
  };
}

export function fold(chain: Chain): FoldedRatio {
  return {
    log: chain.log,
    se: chain.se,
    steps: chain.steps,
    ...(Number.isFinite(chain.df) ? { df: chain.df } : {}),
    ...(chain.broken ? { broken: true } : {}),
  };
}

/** The links of `entries` in order, as one chain; a session that did not measure the metric adds nothing. */
export function chainOf(entries: readonly StoredSession[], metric: string): Chain {
  return entries
    .flatMap((entry) => metricOf(entry, metric) ?? [])
    .map((stored) => linkChain(stored.ratioToPrevious, stored.restarts.length))
    .reduce(joinChains, EMPTY_CHAIN);
}

/** One metric of a session; undefined where it was not measured, whatever the metric is called. */
export function metricOf(entry: StoredSession, metric: string): StoredMetric | undefined {
  return Object.hasOwn(entry.metrics, metric) ? entry.metrics[metric] : undefined;
}

/** Entries of one case in the current epoch, oldest first; the first is the case's anchor. */
export function currentSessions(baseline: Baseline, caseId: string): readonly StoredSession[] {
  const epoch = currentEpoch(baseline);
  return baseline.sessions.filter((entry) => entry.case === caseId && entry.epoch === epoch);
}

/** Id of the epoch that new sessions join. */
export function currentEpoch(baseline: Baseline): number {
  return baseline.epochs.at(-1)?.id ?? 1;
}

/** The newest accepted session against the anchor of its epoch. */
export function chainSinceAnchor(baseline: Baseline, caseId: string, metric: string): Chain {
  const sum = baseline.folded.sinceAnchor[foldedKey(caseId, metric)];
  const folded = unfold(sum, baseline.folded.sessions);
  return joinChains(folded, chainOf(currentSessions(baseline, caseId).slice(1), metric));
}

/** Key of a folded sum; DESIGN §3. */
export function foldedKey(caseId: string, metric: string): string {
  return `${caseId} ${metric}`;
}
