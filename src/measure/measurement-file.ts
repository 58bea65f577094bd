import type { z } from 'zod';
import { NoVerdictError, RefusedError } from '../errors.ts';
import { canonicalEntry } from './canonical-entry.ts';
import { type Entry, MEASUREMENT_SCHEMA, type Measurement, measurementSchema } from './measurement.ts';
import { describePath, findBadNumber, parseOrUndefined } from './strict-json.ts';

/**
 * Reads a measurement file; values come out in canonical units with every metric stated.
 * @throws NoVerdictError where the file holds no measurement at all: the benchmark did not run.
 * @throws RefusedError naming file, path and fault for anything else that is wrong.
 */
export function parseMeasurement(text: string, fileName: string): Measurement {
  const file = JSON.stringify(fileName).slice(1, -1);
  const parsed = measurementSchema.safeParse(readJson(withoutByteOrderMark(text), file));
  if (!parsed.success) throw new RefusedError(`${file}: ${describeIssue(parsed.error)}`);
  const entries = parsed.data.entries.map((entry, i) => canonicalEntry(entry, `${file}: entries[${i}]`));
  const duplicate = findDuplicate(entries);
  if (duplicate !== null) throw new RefusedError(`${file}: ${duplicate} appears twice: keep one of them`);
  return { ...parsed.data, entries };
}

/** A restart, or a case without restarts, that appears twice among entries of one arm; null if none does. */
export function findDuplicate(entries: readonly Entry[]): string | null {
  const seen = new Set<string>();
  for (const entry of entries) {
    const place = [entry.session ?? '', entry.comparison ?? 'paired', entry.case.id];
    const keys: (number | string)[] = entry.restarts.map((restart) => restart.index);
    for (const index of keys.length > 0 ? keys : ['none']) {
      const key = JSON.stringify([...place, index]);
      const what = index === 'none' ? '' : `restart ${index} of `;
      if (seen.has(key)) return `${what}case ${JSON.stringify(entry.case.id)}`;
      seen.add(key);
    }
  }
  return null;
}

/** Tools on Windows begin UTF-8 files with it; it is no part of the text. */
function withoutByteOrderMark(text: string): string {
  return text.replace(/^\uFEFF/, '');
}

function readJson(text: string, file: string): unknown {
  if (text.includes('\0')) throw new RefusedError(`${file}: not UTF-8 text, perhaps UTF-16: write it as UTF-8`);
  const bad = findBadNumber(text);
  if (bad !== null) {
    throw new RefusedError(`${file}: ${bad.path} is ${bad.token}, which is no finite number: repair what wrote it`);
  }
  const json = parseOrUndefined(text);
  if (json !== undefined) return checkSchema(json, file);
  if (!text.includes('model-gate/measurement@')) {
    const what = text.trim() === '' ? 'the file is empty' : 'the file holds no measurement, only other text';
    throw new NoVerdictError(`${file}: ${what}: the benchmark did not run; look at its log`);
  }
  throw new RefusedError(`${file}: not valid JSON, perhaps cut off: write the file again`);
}

function checkSchema(json: unknown, file: string): unknown {
  const schema = typeof json === 'object' && json !== null && 'schema' in json ? json.schema : undefined;
  if (schema === MEASUREMENT_SCHEMA) return json;
  const version = typeof schema === 'string' ? /^model-gate\/measurement@(\d+)$/.exec(schema)?.[1] : undefined;
  if (version !== undefined) {
    throw new RefusedError(
      `${file}: schema ${MEASUREMENT_SCHEMA.replace(/\d+$/, version)} is newer than this model-gate reads: update model-gate`,
    );
  }
  throw new RefusedError(`${file}: schema is not ${MEASUREMENT_SCHEMA}: give a measurement file`);
}

function describeIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  return issue ? `${describePath(issue.path)}: ${issue.message}; correct it` : 'not a measurement file';
}
