import { median, sampleStandardDeviation } from 'simple-statistics';
import { describeThrown } from '../errors.ts';
import { parseBaseline } from './baseline-file.ts';
import { baselinePath } from './baseline-path.ts';
import type { Baseline, StoredSession } from './baseline-schema.ts';
import type { StoredFile } from './baseline-store.ts';
import { chainSinceAnchor, currentSessions, metricOf } from './chain.ts';

/** A stored file after reading: its baseline, or why it can't be used. */
export type ReadFile =
  | { readonly path: string; readonly baseline: Baseline; readonly fault: null }
  | { readonly path: string; readonly baseline: null; readonly fault: string };

/** One line of `baseline list`. */
export interface BaselineSummary {
  readonly path: string;
  readonly model: string;
  readonly class: string;
  /** The card, else the processor. */
  readonly machine: string;
  readonly cases: number;
  /** Kept in full, and folded into sums. */
  readonly sessions: number;
  readonly folded: number;
  readonly epoch: number;
  readonly newest: string | null;
}

/** One line of `baseline show`: a metric of a case in the current epoch. */
export interface BaselineMetric {
  readonly case: string;
  readonly metric: string;
  readonly sessions: number;
  /** Median over sessions of their medians, canonical unit. */
  readonly value: number;
  /** Standard deviation between sessions, as a fraction; null for one session. */
  readonly spread: number | null;
  /** Newest accepted against the anchor, as a fraction; null where a link is missing. */
  readonly sinceAnchor: number | null;
  readonly steps: number;
}

/** Reads stored files, never throwing: a broken one is listed with its fault. */
export function readFiles(files: readonly StoredFile[]): ReadFile[] {
  return files.map(({ path, text }) => {
    try {
      const baseline = parseBaseline(text, path);
      const expected = baselinePath(baseline);
      if (expected === path) return { path, baseline, fault: null };
      return { path, baseline: null, fault: `${path} holds what belongs to ${expected}: move it there` };
    } catch (thrown) {
      return { path, baseline: null, fault: describeThrown(thrown) };
    }
  });
}

/** What `baseline list` says of one baseline. */
export function summarise(path: string, baseline: Baseline): BaselineSummary {
  return {
    path,
    model: baseline.model,
    class: baseline.class,
    machine: String(baseline.facts['gpu.name'] ?? baseline.facts['cpu.model'] ?? 'unknown'),
    cases: new Set(baseline.sessions.map((entry) => entry.case)).size,
    sessions: new Set(baseline.sessions.map((entry) => entry.session)).size,
    folded: baseline.folded.sessions,
    epoch: baseline.epochs.at(-1)?.id ?? 0,
    newest: newestAcceptance(baseline),
  };
}

/** Time of the latest acceptance; null for a baseline without sessions. */
export function newestAcceptance({ sessions }: Baseline): string | null {
  return sessions.reduce<string | null>(
    (newest, { acceptedAt }) => (newest === null || Date.parse(acceptedAt) > Date.parse(newest) ? acceptedAt : newest),
    null,
  );
}

/** What `baseline show` says: every metric of every case of the current epoch. */
export function describeMetrics(baseline: Baseline): BaselineMetric[] {
  const cases = [...new Set(baseline.sessions.map((entry) => entry.case))].sort();
  return cases.flatMap((caseId) => {
    const entries = currentSessions(baseline, caseId);
    const metrics = [...new Set(entries.flatMap((entry) => Object.keys(entry.metrics)))].sort();
    return metrics.map((metric) => describeMetric(baseline, caseId, metric, entries));
  });
}

/** Accepted values of one row over the current epoch, oldest first: date and median. */
export function trendPoints(baseline: Baseline, caseId: string, metric: string): { at: string; value: number }[] {
  return currentSessions(baseline, caseId).flatMap((entry) => {
    const restarts = metricOf(entry, metric)?.restarts ?? [];
    return restarts.length === 0 ? [] : [{ at: entry.acceptedAt.slice(0, 10), value: median([...restarts]) }];
  });
}

function describeMetric(
  baseline: Baseline,
  caseId: string,
  metric: string,
  entries: readonly StoredSession[],
): BaselineMetric {
  const restarts = entries.flatMap((entry) => metricOf(entry, metric) ?? []).map((stored) => [...stored.restarts]);
  const values = restarts.filter((list) => list.length > 0).map(median);
  const chain = chainSinceAnchor(baseline, caseId, metric);
  const value = values.length === 0 ? 0 : median(values);
  return {
    case: caseId,
    metric,
    sessions: values.length,
    value,
    spread: values.length < 2 || value === 0 ? null : sampleStandardDeviation(values) / Math.abs(value),
    sinceAnchor: chain.broken ? null : Math.expm1(chain.log),
    steps: chain.steps,
  };
}
