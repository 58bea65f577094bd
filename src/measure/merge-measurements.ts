import { RefusedError } from '../errors.ts';
import { METRICS } from '../metrics/metric-table.ts';
import type { Entry, Manifest, Measurement, Note } from './measurement.ts';
import { findDuplicate } from './measurement-file.ts';

/**
 * One arm's measurement from several files: the shards of a plan, or the attempts of one head in order.
 * Every entry keeps its own session and environment; times add up. @throws RefusedError for duplicates.
 */
export function mergeMeasurements(files: readonly Measurement[]): Measurement {
  const [first, ...others] = files;
  if (!first) throw new RefusedError('no measurement file was given: name at least one for each arm');
  if (others.length === 0) return first;
  if (others.some((file) => file.arm !== first.arm)) {
    throw new RefusedError('measurement files of base and head are mixed: give each arm its own files');
  }
  const entries = files.flatMap((file) => file.entries.map((entry) => withOrigin(entry, file)));
  const duplicate = findDuplicate(entries);
  if (duplicate !== null) {
    throw new RefusedError(`${duplicate} is in two files of the ${first.arm} arm: give each file once`);
  }
  const last = files.at(-1) ?? first;
  const manifests = files.flatMap((file) => (file.manifest ? [file.manifest] : []));
  const modes = new Set(files.flatMap((file) => (file.mode && file.mode !== 'none' ? [file.mode] : [])));
  const [mode] = modes;
  return {
    ...last,
    mode: modes.size > 1 ? 'mixed' : (mode ?? 'none'),
    durationS: files.reduce((sum, file) => sum + (file.durationS ?? 0), 0),
    notes: distinctNotes(files.flatMap((file) => file.notes ?? [])),
    ...(manifests.length > 0 ? { manifest: mergeManifests(manifests) } : {}),
    entries,
  };
}

function withOrigin(entry: Entry, file: Measurement): Entry {
  return { session: file.session, environment: file.environment, ...entry };
}

/** The union of the promises. Its k is the plan's own, or the number of rows where each file counted only its own. */
function mergeManifests(manifests: readonly [Manifest, ...Manifest[]] | readonly Manifest[]): Manifest {
  const last = manifests.at(-1) as Manifest;
  const rows = [
    ...new Map(manifests.flatMap((m) => m.rows).map((row) => [JSON.stringify([row.case, row.metric]), row])).values(),
  ];
  const count = (judge: string) =>
    rows.filter((row) => row.role === 'gated' && METRICS.get(row.metric)?.judge === judge).length;
  return {
    ...last,
    k: Math.max(count('signed-rank'), ...manifests.map((m) => m.k)),
    memoryRows: Math.max(count('memory'), ...manifests.map((m) => m.memoryRows ?? 0)),
    rows,
  };
}

function distinctNotes(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [JSON.stringify([note.code, note.text]), note])).values()];
}
