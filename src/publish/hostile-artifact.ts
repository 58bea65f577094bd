import { unzipSync } from 'fflate';
import { describeThrown, NoVerdictError, RefusedError } from '../errors.ts';
import { cleanText } from '../report/escape.ts';
import { type Verdict, verdictSchema } from '../verdict/verdict.ts';

/** The one file that is read; every other entry is passed over unread. */
const VERDICT_NAME = 'verdict.json';
const MEBIBYTE = 1024 * 1024;
export const ARTIFACT_LIMIT_BYTES = 32 * MEBIBYTE;
const PACKED_LIMIT_BYTES = 2 * MEBIBYTE;
const VERDICT_LIMIT_BYTES = 16 * MEBIBYTE;
const ENTRY_LIMIT = 2000;
const ROW_LIMIT = 10_000;

/** An artifact as the API lists it. */
export interface ArtifactInfo {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly expired: boolean;
}

/**
 * The newest artifact of that name (a re-run leaves another one).
 * @throws NoVerdictError where the measuring run left none, RefusedError where it is too large.
 */
export function chooseArtifact(artifacts: readonly ArtifactInfo[], name: string): ArtifactInfo {
  const [newest] = artifacts.filter((artifact) => artifact.name === name).sort((a, b) => b.id - a.id);
  if (!newest)
    throw new NoVerdictError(
      `the measuring run left no artifact "${cleanText(name, 100)}": it broke off before a verdict, run it again`,
    );
  if (newest.expired) throw new NoVerdictError('the artifact of the measuring run has expired: run it again');
  if (newest.sizeBytes > ARTIFACT_LIMIT_BYTES) throw tooLarge('the artifact', ARTIFACT_LIMIT_BYTES);
  return newest;
}

/**
 * The verdict in an artifact that anybody may have made: only `verdict.json` is unpacked, into memory, within limits.
 * @throws RefusedError where it isn't exactly what a gate writes.
 */
export function readHostileVerdict(archive: Uint8Array): Verdict {
  if (archive.length > ARTIFACT_LIMIT_BYTES) throw tooLarge('the artifact', ARTIFACT_LIMIT_BYTES);
  const parsed = verdictSchema.safeParse(parseJson(unpackVerdict(archive)));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new RefusedError(
      `${VERDICT_NAME} in the artifact is no verdict: ${cleanText(`${issue?.path.join('.')} ${issue?.message}`, 200)}`,
    );
  }
  if (parsed.data.rows.length > ROW_LIMIT)
    throw new RefusedError(`${VERDICT_NAME} in the artifact holds over ${ROW_LIMIT} rows`);
  return parsed.data;
}

function unpackVerdict(archive: Uint8Array): Uint8Array {
  let entries = 0;
  const files = unzip(archive, ({ name, size, originalSize }) => {
    if (++entries > ENTRY_LIMIT) throw new RefusedError(`the artifact holds over ${ENTRY_LIMIT} files`);
    if (name !== VERDICT_NAME) return false;
    // Sizes are the archive's own words: the packed one bounds the work, the other is all the memory that is given.
    if (size > PACKED_LIMIT_BYTES) throw tooLarge(`${VERDICT_NAME} in the artifact`, PACKED_LIMIT_BYTES);
    if (originalSize > VERDICT_LIMIT_BYTES) throw tooLarge(`${VERDICT_NAME} in the artifact`, VERDICT_LIMIT_BYTES);
    return true;
  });
  const content = Object.hasOwn(files, VERDICT_NAME) ? files[VERDICT_NAME] : undefined;
  if (content === undefined) throw new RefusedError(`the artifact holds no ${VERDICT_NAME} at its top`);
  return content;
}

function unzip(
  archive: Uint8Array,
  filter: NonNullable<Parameters<typeof unzipSync>[1]>['filter'],
): Record<string, Uint8Array> {
  try {
    return unzipSync(archive, filter ? { filter } : {});
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown;
    throw new RefusedError(`the artifact is no zip archive: ${cleanText(describeThrown(thrown), 200)}`);
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RefusedError(`${VERDICT_NAME} in the artifact is not JSON`);
  }
}

function tooLarge(what: string, limitBytes: number): RefusedError {
  return new RefusedError(`${what} is larger than ${limitBytes / MEBIBYTE} MiB`);
}
