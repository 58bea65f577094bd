import { RefusedError } from '../errors.ts';
import { BASELINE_SCHEMA, type Baseline, baselineSchema, type StoredSession } from './baseline-schema.ts';
import type { BaselineAddress } from './baseline-store.ts';
import { printable } from './printable.ts';

/** Git hosts refuse files of 100 MiB; a baseline that comes near is broken, not big. */
const LARGEST_FILE_BYTES = 90 * 2 ** 20;

/**
 * Reads a baseline file; `place` names it in errors.
 * @throws RefusedError in one line for text that is cut off, of another schema, or contradicts itself.
 */
export function parseBaseline(text: string, place: string): Baseline {
  if (text.trim() === '') throw new RefusedError(`${place} is empty: restore it from git, it is not overwritten`);
  const json = parseJson(text, place);
  refuseOtherSchema(json, place);
  const result = baselineSchema.safeParse(json);
  if (!result.success) {
    const issue = result.error.issues[0];
    const where = issue?.path.map(String).join('.') || 'the file';
    throw new RefusedError(
      `${place}: ${printable(where)}: ${printable(issue?.message ?? 'invalid')}: restore it from git`,
    );
  }
  refuseContradictions(result.data, place);
  return result.data;
}

/**
 * Reads a baseline and checks that it is the one asked for: names that differ only in case share a file on some disks.
 * @throws RefusedError as `parseBaseline`, and where the file is about another model or class.
 */
export function parseBaselineAt(text: string, address: BaselineAddress, place: string): Baseline {
  const baseline = parseBaseline(text, place);
  if (baseline.model === address.model && baseline.class === address.class) return baseline;
  throw new RefusedError(
    `${place} is about model "${printable(baseline.model)}" on class "${printable(baseline.class)}", not "${printable(address.model)}" on "${printable(address.class)}": move it to its own path`,
  );
}

/**
 * The file's text: one session a line, keys in a fixed order, so that git stores and shows small differences.
 * @throws RefusedError where it would exceed what git hosts accept.
 */
export function serialiseBaseline(baseline: Baseline): string {
  const { schema, model, facts, epochs, folded, sessions } = baseline;
  const head = JSON.stringify({ schema, model, class: baseline.class, facts: sortKeys(facts) }).slice(0, -1);
  const sums = JSON.stringify({ sessions: folded.sessions, sinceAnchor: sortKeys(folded.sinceAnchor) });
  const lines = sessions.map((session) => `  ${sessionLine(session)}`).join(',\n');
  const text = `${head},\n "epochs":${JSON.stringify(epochs)},\n "folded":${sums},\n "sessions":[${lines && `\n${lines}`}]}\n`;
  const bytes = Buffer.byteLength(text);
  if (bytes <= LARGEST_FILE_BYTES) return text;
  throw new RefusedError(
    `the baseline of "${printable(model)}" would take ${Math.round(bytes / 2 ** 20)} MiB, git hosts refuse 100: prune its cases`,
  );
}

function sessionLine(entry: StoredSession): string {
  const { session, acceptedAt, epoch, commit, sha256, host, workload, arm, metrics } = entry;
  const ordered = { session, acceptedAt, epoch, commit, sha256, host, case: entry.case, workload, arm };
  return JSON.stringify({ ...ordered, metrics: sortKeys(metrics) });
}

function parseJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RefusedError(
      `${place} is not valid JSON (cut off, or a merge left marks in it): restore it from git, it is not overwritten`,
    );
  }
}

function refuseOtherSchema(json: unknown, place: string): void {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined;
  if (schema === BASELINE_SCHEMA) return;
  const version = typeof schema === 'string' ? /^model-gate\/baseline@(\d+)$/.exec(schema)?.[1] : undefined;
  if (version === undefined)
    throw new RefusedError(`${place} is not a baseline: its "schema" is not ${BASELINE_SCHEMA}`);
  throw new RefusedError(
    `${place} was written by a newer Model Gate (baseline@${version}): update the gate, the file is not overwritten`,
  );
}

function refuseContradictions({ epochs, sessions }: Baseline, place: string): void {
  const ids = epochs.map((epoch) => epoch.id);
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] ?? 0))) {
    throw new RefusedError(`${place}: epochs are not in ascending order: restore it from git`);
  }
  const seen = new Set<string>();
  for (const entry of sessions) {
    const key = JSON.stringify([entry.session, entry.case]);
    const name = `session "${printable(entry.session)}" of "${printable(entry.case)}"`;
    if (seen.has(key)) throw new RefusedError(`${place}: ${name} is listed twice: restore it from git`);
    if (!ids.includes(entry.epoch))
      throw new RefusedError(`${place}: ${name} names epoch ${entry.epoch}, which is not listed`);
    seen.add(key);
  }
}

function sortKeys<Value>(record: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
