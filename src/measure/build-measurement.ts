import { type CaseRecord, entryOf } from './case-record.ts';
import {
  type Entry,
  type Environment,
  type Manifest,
  MEASUREMENT_SCHEMA,
  type Measurement,
  type Note,
} from './measurement.ts';

/** What one job knows beside its records. */
export interface JobFacts {
  readonly createdAt: string;
  readonly toolVersion: string;
  readonly session: string;
  readonly environment: Environment;
  readonly manifest: Manifest;
  readonly durationS: number;
  readonly notes: readonly Note[];
  /** Head's entries of models that could not be planned. */
  readonly faults: readonly Entry[];
  readonly commits: { readonly base: string | null; readonly head: string | null };
}

/** The two measurement files of one job: equal but for the arm, so that each can be judged without the job. */
export function buildMeasurements(
  records: readonly CaseRecord[],
  job: JobFacts,
): { readonly base: Measurement; readonly head: Measurement } {
  const file = (arm: 'base' | 'head'): Measurement => ({
    schema: MEASUREMENT_SCHEMA,
    createdAt: job.createdAt,
    tool: { name: 'model-gate', version: job.toolVersion },
    session: job.session,
    arm,
    commit: job.commits[arm],
    environment: job.environment,
    mode: modeOf(records),
    durationS: job.durationS,
    manifest: job.manifest,
    notes: [...job.notes],
    entries: [
      ...records.filter((record) => arm === 'head' || record.group.base !== null).map((record) => entryOf(record, arm)),
      ...(arm === 'head' ? job.faults : []),
    ],
  });
  return { base: file('base'), head: file('head') };
}

function modeOf(records: readonly CaseRecord[]): NonNullable<Measurement['mode']> {
  const modes = new Set(records.flatMap((record) => (record.preparation ? [record.preparation.mode] : [])));
  const [first] = modes;
  if (first === undefined) return 'none';
  return modes.size === 1 ? first : 'mixed';
}
