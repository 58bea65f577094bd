import { sampleStandardDeviation } from 'simple-statistics';
import { MAX_RESTARTS } from '../../src/compare/looks.ts';
import { metricFactsOf } from '../../src/compare/metric-facts.ts';
import type { ValidPair } from '../../src/compare/pairing.ts';
import type { RowFinding } from '../../src/compare/row-finding.ts';
import { seriesOf } from '../../src/compare/series.ts';
import { hodgesLehmann } from '../../src/compare/walsh.ts';
import type { NextRestart } from './duet-source.ts';
import { CASES_PER_CHANGE, type CaseOutcome, judgeCase, judgeP50, reduceRows } from './our-rule.ts';
import type { PeerEvidence } from './peer-evidence.ts';
import { PEER_RULES, prepareEvidence, reportsRegression } from './peer-rules.ts';
import {
  CHANGES,
  type ChangedResult,
  type PeerResult,
  type ScenarioResult,
  type Sizes,
  type UnchangedResult,
} from './results.ts';
import type { Share } from './wilson.ts';

/** Where cases and evidence come from: a kind of noise, or a recording. Change 0 is none. */
export interface Source {
  readonly id: string;
  readonly text: string;
  readonly openCase: (change: number) => NextRestart;
  /** Evidence for the other rules with this change in it, or without any where changes are planted by a factor. */
  readonly openEvidence: (change: number) => PeerEvidence;
  readonly planting: 'recorded' | 'by-factor';
}

const RESTARTS_FOR_SPREAD = 200;

/** Runs all rules on one source. */
export function runScenario(source: Source, sizes: Sizes): ScenarioResult {
  const startUs = process.cpuUsage().user;
  const unchanged = runUnchanged(source, sizes);
  const changed = Object.fromEntries(CHANGES.map((change) => [change, runChanged(source, change, sizes)]));
  const peers = runPeers(source, sizes);
  return {
    id: source.id,
    text: source.text,
    sizes,
    spread: { p50: spreadOf(source, 'latency.p50'), p95: spreadOf(source, 'latency.p95') },
    realChanges: Object.fromEntries(CHANGES.map((change) => [change, realChange(source, change)])),
    unchanged,
    changed,
    peers,
    cpuS: Math.round((process.cpuUsage().user - startUs) / 1e5) / 10,
  };
}

function runUnchanged(source: Source, sizes: Sizes): UnchangedResult {
  const changes = Math.floor(sizes.unchangedCases / CASES_PER_CHANGE);
  const cases: CaseOutcome[] = [];
  for (let i = 0; i < changes * CASES_PER_CHANGE; i++) cases.push(judgeCase(source.openCase(0)));
  const countChanges = (isHit: (ofChange: readonly CaseOutcome[]) => boolean): Share => {
    const hits = Array.from({ length: changes }, (_, at) =>
      isHit(cases.slice(at * CASES_PER_CHANGE, (at + 1) * CASES_PER_CHANGE)),
    );
    return { hits: hits.filter(Boolean).length, n: changes };
  };
  const rows = cases.flatMap((found) => rowsOf(found));
  const countOpen = (row: 'p50' | 'p95' | 'memory') =>
    cases.filter((found) => found[row].decision === 'undecided').length;
  const isFutile = (found: CaseOutcome) => reduceRows(rowsOf(found)) === 'undecided' && found.restarts < MAX_RESTARTS;
  return {
    fail: countChanges((ofChange) => ofChange.some((found) => reduceRows(rowsOf(found)) === 'fail')),
    pass: countChanges((ofChange) => ofChange.every((found) => reduceRows(rowsOf(found)) === 'pass')),
    failWithoutTail: countChanges((ofChange) => ofChange.some((found) => reduceRows(withoutTail(found)) === 'fail')),
    passWithoutTail: countChanges((ofChange) => ofChange.every((found) => reduceRows(withoutTail(found)) === 'pass')),
    failOfOne: { hits: cases.filter(({ p50Alone }) => p50Alone.decision === 'beyond').length, n: cases.length },
    failOfTen: countChanges((ofChange) => ofChange.some(({ p50OfTen }) => p50OfTen.decision === 'beyond')),
    improved: { hits: rows.filter(({ improved }) => improved).length, n: rows.length },
    open: { p50: countOpen('p50'), p95: countOpen('p95'), memory: countOpen('memory') },
    futile: cases.filter(isFutile).length,
    restarts: countBy(cases.map(({ restarts }) => restarts)),
    restartsWithoutTail: countBy(cases.map((found) => Math.max(...withoutTail(found).map(({ n }) => n)))),
  };
}

function rowsOf({ p50, p95, memory }: CaseOutcome): RowFinding[] {
  return [p50, p95, memory];
}

function withoutTail({ p50, memory }: CaseOutcome): RowFinding[] {
  return [p50, memory];
}

function countBy(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function runChanged(source: Source, change: number, { changedCases: n }: Sizes): ChangedResult {
  const rows = Array.from({ length: n }, () => judgeP50(source.openCase(change)));
  const failed = rows.filter(({ decision }) => decision === 'beyond');
  return {
    fail: { hits: failed.length, n },
    pass: { hits: rows.filter(({ decision }) => decision === 'within').length, n },
    restarts: countBy(failed.map((row) => row.n)),
  };
}

function runPeers(source: Source, sizes: Sizes): Record<string, PeerResult> {
  const hits = new Map(PEER_RULES.map(({ id }) => [id, new Map<number, number>()]));
  const totals = new Map<number, number>();
  const judge = (evidence: PeerEvidence, changes: readonly number[]): void => {
    const prepared = prepareEvidence(evidence);
    for (const change of changes) {
      const factor = source.planting === 'by-factor' ? 1 + change / 100 : 1;
      totals.set(change, (totals.get(change) ?? 0) + 1);
      for (const [id, counts] of hits)
        if (reportsRegression(id, prepared, factor)) counts.set(change, (counts.get(change) ?? 0) + 1);
    }
  };
  for (let row = 0; row < sizes.peerRows; row++) {
    const isPlanted = source.planting === 'by-factor' && row < sizes.changedCases;
    judge(source.openEvidence(0), isPlanted ? [0, ...CHANGES] : [0]);
  }
  if (source.planting === 'recorded')
    for (const change of CHANGES)
      for (let row = 0; row < sizes.changedCases; row++) judge(source.openEvidence(change), [change]);
  const shares = (counts: ReadonlyMap<number, number>): PeerResult =>
    Object.fromEntries(
      [0, ...CHANGES].map((change) => [change, { hits: counts.get(change) ?? 0, n: totals.get(change) ?? 0 }]),
    );
  return Object.fromEntries([...hits].map(([id, counts]) => [id, shares(counts)]));
}

function spreadOf(source: Source, metric: string): number {
  return sampleStandardDeviation(differences(source, 0, metric));
}

function realChange(source: Source, change: number): number {
  if (source.planting === 'by-factor') return change / 100;
  return Math.expm1(hodgesLehmann(differences(source, change, 'latency.p50')));
}

function differences(source: Source, change: number, metric: string): number[] {
  const next = source.openCase(change);
  const pairs: ValidPair[] = Array.from({ length: RESTARTS_FOR_SPREAD }, (_, index) => next(index));
  const series = seriesOf(pairs, metricFactsOf(metric, undefined));
  if ('fault' in series) throw new Error(series.fault);
  return [...series.d];
}
