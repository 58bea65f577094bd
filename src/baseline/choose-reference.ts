import { median, medianAbsoluteDeviation } from 'simple-statistics';
import type { Baseline, StoredSession } from './baseline-schema.ts';
import { currentSessions, metricOf } from './chain.ts';

/** A sentence for the report with a stable code; the shape of a measurement's note. */
export interface BaselineNote {
  readonly code: string;
  readonly text: string;
}

/** Age from which a stored baseline is warned about; the config's `max-age` replaces it. */
export const DEFAULT_MAX_AGE_MS = 30 * 86_400_000;

/** Median absolute deviation of a normal sample times this estimates its standard deviation. */
export const MAD_TO_SD = 1.4826;

export interface AcceptedBase {
  /** The session whose model is the base arm; null where none can be had. */
  readonly session: StoredSession | null;
  readonly notes: readonly BaselineNote[];
}

/**
 * The newest accepted session of a model, on any machine, whose commit still exists: its model is the base arm of a
 * push, so that a change that failed is measured against what was accepted before it, however often it arrives.
 */
export async function chooseBase(
  baselines: readonly Baseline[],
  isAvailable: (commit: string) => Promise<boolean>,
): Promise<AcceptedBase> {
  const sessions = baselines
    .flatMap((baseline) => baseline.sessions)
    .sort((a, b) => Date.parse(a.acceptedAt) - Date.parse(b.acceptedAt));
  const model = baselines[0]?.model ?? '';
  const skipped: string[] = [];
  for (const entry of sessions.toReversed()) {
    if (entry.commit === null || skipped.includes(entry.commit)) continue;
    if (await isAvailable(entry.commit)) return { session: entry, notes: skippedNotes(model, skipped, entry) };
    skipped.push(entry.commit);
  }
  return { session: null, notes: skippedNotes(model, skipped, null) };
}

function skippedNotes(model: string, skipped: readonly string[], used: StoredSession | null): BaselineNote[] {
  const [newest] = skipped;
  if (newest === undefined) return [];
  const instead = used === null ? 'no other accepted commit is left' : `${shorten(used.commit)} is used instead`;
  const text = `the last accepted commit of ${model}, ${shorten(newest)}, no longer exists (force push?): ${instead}`;
  return [{ code: 'accepted-commit-gone', text }];
}

/** The session whose bytes anchor the current epoch of a case: what creep is measured against; null before the first. */
export function anchorOf(baseline: Baseline, caseId: string): StoredSession | null {
  return currentSessions(baseline, caseId)[0] ?? null;
}

/** A warning where the newest session of a case is older than allowed, with its age in days. */
export function ageNotes(baseline: Baseline, caseId: string, nowMs: number, maxAgeMs: number): BaselineNote[] {
  const newest = currentSessions(baseline, caseId).at(-1);
  if (newest === undefined) return [];
  const ageMs = nowMs - Date.parse(newest.acceptedAt);
  if (ageMs <= maxAgeMs) return [];
  const text = `the stored baseline of ${caseId} is ${days(ageMs)} days old (allowed ${days(maxAgeMs)}): accept a new session`;
  return [{ code: 'baseline-old', text }];
}

/** Base this far from history, as a factor, did not do the same work. */
const IMPLAUSIBLE_FACTOR = 1.5;
const IMPLAUSIBLE_DEVIATIONS = 3.5;
const FEWEST_SESSIONS = 3;

/**
 * A warning where today's base arm lies far from its own accepted history: more than 1.5 × and 3.5 robust deviations.
 * `value` is the base arm's median in the canonical unit.
 */
export function implausibleNotes(baseline: Baseline, caseId: string, metric: string, value: number): BaselineNote[] {
  const centres = currentSessions(baseline, caseId)
    .flatMap((entry) => metricOf(entry, metric) ?? [])
    .filter((stored) => stored.restarts.length > 0)
    .map((stored) => Math.log(median([...stored.restarts])))
    .filter(Number.isFinite);
  if (centres.length < FEWEST_SESSIONS || !(value > 0)) return [];
  const distance = Math.abs(Math.log(value) - median(centres));
  const deviation = MAD_TO_SD * medianAbsoluteDeviation(centres);
  if (distance <= Math.max(Math.log(IMPLAUSIBLE_FACTOR), IMPLAUSIBLE_DEVIATIONS * deviation)) return [];
  const usual = shortNumber(Math.exp(median(centres)));
  const text = `baseline implausible: base shows ${metric} ${shortNumber(value)} on ${caseId}, its ${centres.length} accepted sessions ${usual}: look at what base ran before trusting the ratio`;
  return [{ code: 'baseline-implausible', text }];
}

function shortNumber(value: number): string {
  return String(Number(value.toPrecision(4)));
}

function shorten(commit: string | null): string {
  return commit?.slice(0, 12) ?? 'unknown';
}

function days(ms: number): number {
  return Math.round(ms / 86_400_000);
}
