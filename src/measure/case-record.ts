import { METRICS } from '../metrics/metric-table.ts';
import type { CaseGroup, CaseSpec } from '../plan/plan.ts';
import { plannedDigest } from '../plan/planned-digest.ts';
import type { Entry, Fault, Note, Restart, SoloRuns } from './measurement.ts';
import type { Preparation, RestartResult } from './measurer.ts';

/** Everything known about one case so far; both arms' restarts pair by index. */
export interface CaseRecord {
  readonly group: CaseGroup;
  readonly spec: CaseSpec;
  readonly preparation: Preparation | null;
  readonly fault: Fault | null;
  readonly notes: readonly Note[];
  readonly base: readonly Restart[];
  readonly head: readonly Restart[];
  /** Both arms measured alone, where the card ran at its power limit. */
  readonly solo?: SoloRuns;
}

/** Records of a group's cases before anything ran. */
export function openRecords(group: CaseGroup): CaseRecord[] {
  return group.cases.map((spec) => ({
    group,
    spec,
    preparation: null,
    fault: null,
    notes: group.notes,
    base: [],
    head: [],
  }));
}

/** The record with what staging and priming found. */
export function withPreparation(record: CaseRecord, preparation: Preparation): CaseRecord {
  const notes = [...record.notes, ...preparation.notes];
  return { ...record, preparation, fault: preparation.fault, notes };
}

/** The record with one more restart of its case, where the result holds one. */
export function withRestart(record: CaseRecord, result: RestartResult): CaseRecord {
  const pair = result.pairs[record.spec.id];
  const known = new Set(record.notes.map((note) => note.text));
  const notes = [...record.notes, ...result.notes.filter((note) => !known.has(note.text))];
  const withNotes = { ...record, notes, fault: result.fault ?? record.fault };
  if (!pair) return withNotes;
  const plain = record.preparation?.plain[record.spec.id];
  return {
    ...withNotes,
    base: pair.base ? [...record.base, addPlain(pair.base, plain?.base)] : record.base,
    head: [...record.head, addPlain(pair.head, plain?.head)],
  };
}

/** One arm's entry in a measurement file. */
export function entryOf(record: CaseRecord, arm: 'base' | 'head'): Entry {
  const { group, spec, preparation } = record;
  const spare = group[arm];
  const armFacts = preparation?.armFacts[arm];
  const restarts = record[arm];
  return {
    subject: {
      model: group.model,
      path: group.path,
      ...(spare ? { sha256: spare.sha256 } : {}),
      commit: spare?.commit ?? null,
    },
    case: {
      id: spec.id,
      provider: group.provider,
      batch: spec.batch,
      concurrency: 1,
      scenario: 'closed',
      ...(group.variant === null ? {} : { variant: group.variant }),
      workload: spec.workload,
    },
    ...(group.comparison === 'creep' ? { comparison: group.comparison } : {}),
    ...(armFacts ? { armFacts } : {}),
    ...(group.unchanged ? { unchanged: true } : {}),
    ...(group.base === null ? withoutBase(group) : {}),
    ...(group.builds ? { builds: Math.min(group.builds.base.length, group.builds.head.length) } : {}),
    ...(record.fault ? { fault: record.fault } : {}),
    ...(record.solo && arm === 'head' ? { solo: record.solo } : {}),
    ...(record.notes.length > 0 && arm === 'head' ? { notes: [...record.notes] } : {}),
    planned: plannedDigest(group, spec),
    metrics: statementsOf(restarts, preparation?.definitions ?? {}),
    restarts: [...restarts],
  };
}

function withoutBase({ baseFault }: CaseGroup): Pick<Entry, 'isNew' | 'baseFault'> {
  return baseFault === undefined ? { isNew: true } : { baseFault };
}

function addPlain(restart: Restart, plain: Record<string, number> | null | undefined): Restart {
  return plain ? { ...restart, values: { ...plain, ...restart.values } } : restart;
}

/** Unit, direction and definition of every measured metric, so that a file can be read without the table. */
function statementsOf(restarts: readonly Restart[], definitions: Readonly<Record<string, string>>): Entry['metrics'] {
  const ids = new Set(restarts.flatMap((restart) => Object.keys(restart.values)));
  return Object.fromEntries(
    [...ids].sort().map((id) => {
      const known = METRICS.get(id);
      const statement = known
        ? { unit: known.unit, better: known.better, definition: definitions[id] ?? known.definition }
        : { unit: 'ratio', better: 'lower' as const, definition: 'output-difference@1' };
      return [id, statement];
    }),
  );
}
