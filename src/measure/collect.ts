import { describeThrown } from '../errors.ts';
import type { CaseGroup } from '../plan/plan.ts';
import { type CaseRecord, openRecords, withPreparation, withRestart } from './case-record.ts';
import { checkAlone } from './check-alone.ts';
import type { Measurer, RestartResult } from './measurer.ts';

/** How far a case is: what the loop needs to know about a decision it does not make itself. */
export interface CaseProgress {
  readonly decided: boolean;
  /** Smallest p-value of "worse by more than the margin": suspects are settled first. */
  readonly suspicion: number;
  /** A gated row of the case is already proven worse. */
  readonly failed: boolean;
}

/** A restart about to run, and what it works towards. */
export interface RestartWork {
  readonly caseId: string;
  readonly index: number;
  readonly target: number;
  /** Until every waiting group has reached the target. */
  readonly secondsLeft: number;
}

export interface CollectOptions {
  readonly measurer: Measurer;
  readonly looks: readonly number[];
  readonly deadlineMs: number;
  readonly nowMs: () => number;
  readonly failFast: 'stop-after-first-failure' | 'judge-all';
  /** What is known of a case before this session. */
  readonly open?: (record: CaseRecord) => CaseRecord;
  /** Called once, when every group is prepared and before anything is measured. */
  readonly onPrepared: (records: readonly CaseRecord[]) => void;
  readonly progressOf: (record: CaseRecord) => CaseProgress;
  readonly onRestart: (work: RestartWork) => void;
  readonly signal: AbortSignal;
}

/**
 * Measures all groups until decided or the time is used up, and returns one record a case.
 * Every group gets the first look; then undecided groups go on from look to look, suspects first.
 */
export async function collect(groups: readonly CaseGroup[], options: CollectOptions): Promise<CaseRecord[]> {
  const { open = (record) => record } = options;
  const board = new Map(groups.map((group) => [group.id, openRecords(group).map(open)]));
  const measured = groups.filter((group) => !group.unchanged);
  try {
    for (const group of measured) await prepare(group, board, options);
    options.onPrepared([...board.values()].flat());
    await takeLooks(measured, board, options);
    for (const group of measured) if (!isSettled(group, board, options)) await checkGroup(group, board, options);
  } finally {
    for (const group of measured) await options.measurer.finish(group);
  }
  return flatten(groups, board);
}

/** All groups from look to look; one that is settled is checked at once, while time is left. */
async function takeLooks(measured: readonly CaseGroup[], board: Board, options: CollectOptions): Promise<void> {
  for (const target of options.looks) {
    const waiting = order(measured, board, options);
    for (const [position, group] of waiting.entries()) {
      if (shouldStop(board, options)) return;
      await advance(group, target, waiting.slice(position + 1), board, options);
      if (isSettled(group, board, options)) await checkGroup(group, board, options);
    }
  }
}

function isSettled(group: CaseGroup, board: Board, options: CollectOptions): boolean {
  return (board.get(group.id) ?? []).every((record) => options.progressOf(record).decided);
}

async function checkGroup(group: CaseGroup, board: Board, options: CollectOptions): Promise<void> {
  board.set(group.id, await checkAlone(group, board.get(group.id) ?? [], options));
}

type Board = Map<string, CaseRecord[]>;

async function prepare(group: CaseGroup, board: Board, options: CollectOptions): Promise<void> {
  options.signal.throwIfAborted();
  const records = board.get(group.id) ?? [];
  try {
    const preparation = await options.measurer.prepare(group);
    board.set(
      group.id,
      records.map((record) => withPreparation(record, preparation)),
    );
  } catch (thrown) {
    options.signal.throwIfAborted();
    const fault = { kind: 'not-measured' as const, reason: describeThrown(thrown) };
    board.set(
      group.id,
      records.map((record) => ({ ...record, fault })),
    );
  }
}

/** Restarts that may be spent to reach a look when some of them turn out invalid. */
const ATTEMPTS_PER_VALID_RESTART = 1.5;

async function advance(
  group: CaseGroup,
  target: number,
  after: readonly CaseGroup[],
  board: Board,
  options: CollectOptions,
): Promise<void> {
  for (;;) {
    options.signal.throwIfAborted();
    const records = board.get(group.id) ?? [];
    const undecided = records.filter((record) => !options.progressOf(record).decided);
    const short = undecided.filter((record) => countValid(record) < target);
    const index = Math.max(0, ...records.map((record) => record.head.length));
    if (short.length === 0 || index >= target * ATTEMPTS_PER_VALID_RESTART) return;
    const seconds = records[0]?.preparation?.secondsPerRestart ?? 0;
    if (options.nowMs() + seconds * 1000 > options.deadlineMs) return;
    const caseIds = short.map((record) => record.spec.id);
    options.onRestart({
      caseId: caseIds[0] ?? group.id,
      index,
      target,
      secondsLeft: secondsTo(target, [group, ...after], board),
    });
    const result = await restartOnce(group, index, caseIds, options);
    board.set(
      group.id,
      records.map((record) => withRestart(record, result)),
    );
    if (result.fault) return;
  }
}

async function restartOnce(
  group: CaseGroup,
  index: number,
  caseIds: string[],
  options: CollectOptions,
): Promise<RestartResult> {
  try {
    return await options.measurer.restart(group, index, caseIds);
  } catch (thrown) {
    options.signal.throwIfAborted();
    return { pairs: {}, notes: [], fault: { kind: 'not-measured', reason: describeThrown(thrown) } };
  }
}

function secondsTo(target: number, groups: readonly CaseGroup[], board: Board): number {
  const records = groups.map((group) => board.get(group.id)?.[0]);
  return records.reduce((sum, record) => {
    const missing = Math.max(0, target - (record?.head.length ?? 0));
    return sum + missing * (record?.preparation?.secondsPerRestart ?? 0);
  }, 0);
}

function countValid(record: CaseRecord): number {
  return record.head.filter((restart, position) => restart.valid && (record.base[position]?.valid ?? true)).length;
}

/** Groups that go on, suspects first; the first look keeps the given order. */
function order(groups: readonly CaseGroup[], board: Board, options: CollectOptions): CaseGroup[] {
  return groups
    .map((group) => ({ group, progress: (board.get(group.id) ?? []).map(options.progressOf) }))
    .filter(({ progress }) => progress.some((entry) => !entry.decided))
    .map(({ group, progress }) => ({ group, suspicion: Math.min(...progress.map((entry) => entry.suspicion)) }))
    .sort((a, b) => a.suspicion - b.suspicion)
    .map(({ group }) => group);
}

function shouldStop(board: Board, options: CollectOptions): boolean {
  if (options.failFast === 'judge-all') return false;
  return [...board.values()].flat().some((record) => options.progressOf(record).failed);
}

function flatten(groups: readonly CaseGroup[], board: Board): CaseRecord[] {
  return groups.flatMap((group) => board.get(group.id) ?? []);
}
