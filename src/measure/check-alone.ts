import { describeThrown } from '../errors.ts';
import type { CaseGroup } from '../plan/plan.ts';
import type { CaseRecord } from './case-record.ts';
import type { Note, SoloRuns } from './measurement.ts';
import type { Measurer } from './measurer.ts';

/** How often each arm runs alone, and how long (second-look 8). */
export const SOLO_RUNS = 3;
export const SOLO_RUN_MS = 10_000;

export interface CheckOptions {
  readonly measurer: Measurer;
  readonly deadlineMs: number;
  readonly nowMs: () => number;
  readonly progressOf: (record: CaseRecord) => { readonly decided: boolean };
  readonly signal: AbortSignal;
}

/**
 * The group's records with both arms measured alone, where the card ran at its power limit: there the arms share one
 * clock while they take turns. A decided case that could not be checked, also for want of time, says so.
 */
export async function checkAlone(
  group: CaseGroup,
  records: readonly CaseRecord[],
  options: CheckOptions,
): Promise<CaseRecord[]> {
  const { measurer } = options;
  const open = records.filter((record) => isOpen(record) && options.progressOf(record).decided);
  if (open.length === 0 || !measurer.soloPass || !measurer.needsSoloPass?.(group)) return [...records];
  options.signal.throwIfAborted();
  const { runs, reason } = await runAlone(group, open, options);
  return records.map((record) => {
    if (!open.includes(record)) return record;
    const solo = runs[record.spec.id];
    return solo ? { ...record, solo } : { ...record, notes: [...record.notes, unchecked(record, reason)] };
  });
}

function isOpen({ group, fault, head, solo }: CaseRecord): boolean {
  const isPaired = group.base !== null && group.comparison === 'paired';
  return isPaired && fault === null && head.length > 0 && solo === undefined;
}

async function runAlone(
  group: CaseGroup,
  open: readonly CaseRecord[],
  options: CheckOptions,
): Promise<{ readonly runs: Readonly<Record<string, SoloRuns>>; readonly reason: string }> {
  if (options.nowMs() + expectedMs(open) > options.deadlineMs)
    return { runs: {}, reason: 'there was no time left; raise the time-budget' };
  try {
    const caseIds = open.map((record) => record.spec.id);
    return {
      runs: (await options.measurer.soloPass?.(group, caseIds)) ?? {},
      reason: 'no run was usable; see the job log',
    };
  } catch (thrown) {
    options.signal.throwIfAborted();
    return { runs: {}, reason: describeThrown(thrown) };
  }
}

/** Starts and warm-ups of both arms are as long as a restart at most. */
function expectedMs(open: readonly CaseRecord[]): number {
  const startsMs = (open[0]?.preparation?.secondsPerRestart ?? 0) * 1000;
  return SOLO_RUNS * (startsMs + 2 * SOLO_RUN_MS * open.length);
}

function unchecked({ spec }: CaseRecord, reason: string): Note {
  const text = `${spec.id}: the card ran at its power limit, and what the arms' power draw costs was not checked by running each alone: ${reason}`;
  return { code: 'solo-pass', text, headline: true };
}
