import type { ChangedModel, ChangeSet } from './changes/change-set.ts';
import { MIN_RESTARTS } from './compare/looks.ts';
import { progressOf } from './compare/progress.ts';
import type { RuleBook } from './compare/row-rule.ts';
import { validRestarts } from './compare/session-values.ts';
import type { CaseRecord } from './measure/case-record.ts';
import type { Entry, Manifest, Measurement } from './measure/measurement.ts';
import { mergeMeasurements } from './measure/merge-measurements.ts';
import type { CaseGroup, CaseSpec } from './plan/plan.ts';
import { plannedDigest } from './plan/planned-digest.ts';

/** Both arms' files of an earlier run, as they lay in the results folder. */
export interface EarlierFiles {
  readonly base: Measurement;
  readonly head: Measurement;
}

/**
 * What earlier files are good for: `judge-again` measures nothing that they hold, `continue` goes on with what they
 * left undecided.
 */
export interface EarlierAttempt extends EarlierFiles {
  readonly use: 'judge-again' | 'continue';
}

interface EntryPair {
  readonly base: Entry | null;
  readonly head: Entry;
}

/** Splits the models into those whose commits were measured before, and those to be planned. */
export function splitMeasured(changes: ChangeSet, earlier: EarlierAttempt | null) {
  const isSame =
    earlier?.use === 'judge-again' &&
    !changes.head.dirty &&
    earlier.head.commit === changes.head.commit &&
    earlier.base.commit === (changes.base?.commit ?? null);
  const isMeasured = (change: ChangedModel) => isSame && holdsAllCases(change, earlier);
  return {
    measured: changes.models.filter(isMeasured).map((change) => change.id),
    planned: changes.models.filter((change) => !isMeasured(change)),
  };
}

function holdsAllCases({ id, headConfig }: ChangedModel, { head }: EarlierFiles): boolean {
  const own = head.entries.filter((entry) => entry.subject.model === id);
  const cases = new Set(own.filter((entry) => entry.comparison !== 'creep').map((entry) => entry.case.id));
  const expected = (headConfig.providers?.length ?? 1) * (headConfig.batches?.length ?? 1);
  return cases.size === expected && own.every((entry) => entry.fault === undefined);
}

/** What is left to measure, and what was. */
export interface Resumption {
  readonly groups: readonly CaseGroup[];
  /** Cases whose entries are taken over, by key. */
  readonly kept: ReadonlySet<string>;
  /** Restarts that a case goes on from. */
  readonly open: (record: CaseRecord) => CaseRecord;
}

/** Sorts the planned groups by what earlier files hold of exactly the same arms, options and work. */
export function resume(
  groups: readonly CaseGroup[],
  earlier: EarlierAttempt | null,
  environmentClass: string,
  book: RuleBook,
): Resumption {
  const pairs = earlier && earlier.head.environment.class === environmentClass ? pairsByPlan(earlier) : new Map();
  const found = (group: CaseGroup, spec: CaseSpec): EntryPair | null => pairs.get(plannedDigest(group, spec)) ?? null;
  const isSettled = (group: CaseGroup) =>
    !group.unchanged &&
    group.cases.every((spec) => {
      const pair = found(group, spec);
      return pair !== null && (earlier?.use === 'judge-again' || isDecided(pair, earlier?.head.manifest, book));
    });
  const settled = groups.filter(isSettled);
  return {
    groups: groups.filter((group) => !settled.includes(group)),
    kept: new Set(settled.flatMap((group) => group.cases.map((spec) => plannedDigest(group, spec)))),
    open: (record) => continued(record, found(record.group, record.spec), earlier?.head.session ?? ''),
  };
}

/** The earlier files with only what is taken over; null where that is nothing. */
export function keepEntries(
  earlier: EarlierAttempt | null,
  measured: readonly string[],
  kept: ReadonlySet<string>,
): EarlierFiles | null {
  if (earlier === null || measured.length + kept.size === 0) return null;
  const isKept = (entry: Entry) => measured.includes(entry.subject.model) || kept.has(entry.planned ?? '');
  const keep = (file: Measurement): Measurement => ({ ...file, notes: [], entries: file.entries.filter(isKept) });
  return { base: keep(earlier.base), head: keep(earlier.head) };
}

/** What was kept and what was measured now, as the files of one run; each entry keeps its session. */
export function joinAttempts(kept: EarlierFiles | null, now: EarlierFiles): EarlierFiles {
  if (kept === null) return now;
  // The last file says on which machine and in which session the run was.
  if (now.head.entries.length === 0)
    return { base: mergeMeasurements([now.base, kept.base]), head: mergeMeasurements([now.head, kept.head]) };
  return { base: mergeMeasurements([kept.base, now.base]), head: mergeMeasurements([kept.head, now.head]) };
}

function pairsByPlan({ base, head }: EarlierFiles): Map<string, EntryPair> {
  const bases = new Map(base.entries.map((entry) => [entry.planned, entry]));
  const usable = head.entries.filter((entry) => entry.fault === undefined && entry.restarts.length > 0);
  return new Map(
    usable.flatMap((entry) =>
      entry.planned === undefined
        ? []
        : [[entry.planned, { base: bases.get(entry.planned) ?? null, head: entry }] as const],
    ),
  );
}

function isDecided({ base, head }: EntryPair, manifest: Manifest | undefined, { config, today }: RuleBook): boolean {
  if (base === null || manifest === undefined) return validRestarts(head).length >= MIN_RESTARTS;
  return progressOf({ base, head, config, manifest, ...(today === null ? {} : { today }) }).decided;
}

function continued(record: CaseRecord, pair: EntryPair | null, session: string): CaseRecord {
  if (pair === null || (record.group.base !== null) !== (pair.base !== null)) return record;
  const text = `${record.spec.id}: ${pair.head.restarts.length} restarts of an earlier attempt (session ${session}) are continued`;
  return {
    ...record,
    base: pair.base?.restarts ?? [],
    head: pair.head.restarts,
    ...(pair.head.solo ? { solo: pair.head.solo } : {}),
    notes: [...record.notes, { code: 'earlier-attempt', text }],
  };
}
