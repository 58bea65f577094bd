import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { RefusedError } from '../errors.ts';
import { neededBytesByFile } from './external-data.ts';
import { digestOfFiles, type FileDigest } from './model-digest.ts';
import { type ModelFacts, readModel } from './model-facts.ts';

/** Protobuf's own limit of a message. */
const MAX_MODEL_BYTES = 2 ** 31 - 1;

/** A model file with its external data, read from disk. */
export interface ModelFile {
  readonly facts: ModelFacts;
  /** Digest over the model and its external files; without external files that of the file itself. */
  readonly sha256: string;
  /** Size of the model file and its external files together. */
  readonly bytes: number;
  /** External files as relative locations named in the model, sorted. */
  readonly externalFiles: readonly string[];
}

/**
 * Reads a model and checks its external files. `name` is how messages call it (default: the path).
 * Throws RefusedError for a missing or foreign file, or external data that is missing, too short or outside the folder.
 */
export async function readModelFile(path: string, name = path): Promise<ModelFile> {
  const content = await readBytes(path, name);
  const facts = readModel(content, name);
  const needed = [...neededBytesByFile(facts.externalData)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [location, bytes] of needed) await checkExternal(path, location, bytes, name);
  const model: FileDigest = { sha256: createHash('sha256').update(content).digest('hex'), bytes: content.byteLength };
  const external: FileDigest[] = [];
  for (const [location] of needed) external.push({ location, ...(await digestFile(join(dirname(path), location))) });
  return {
    facts,
    sha256: digestOfFiles(model, external),
    bytes: [model, ...external].reduce((sum, file) => sum + file.bytes, 0),
    externalFiles: needed.map(([location]) => location),
  };
}

/** SHA-256 and size of a file of any size, streamed. */
export async function digestFile(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return { sha256: hash.digest('hex'), bytes: (await stat(path)).size };
}

async function readBytes(path: string, name: string): Promise<Uint8Array> {
  const where = `model ${JSON.stringify(name)}`;
  const found = await stat(path).catch(() => null);
  if (!found) throw new RefusedError(`${where} does not exist: check the path, or build it first`);
  if (!found.isFile()) throw new RefusedError(`${where} is no file: give the path of an .onnx file`);
  if (found.size > MAX_MODEL_BYTES)
    throw new RefusedError(`${where} is over 2 GiB, the limit of protobuf: save its weights as external data`);
  return readFile(path);
}

async function checkExternal(path: string, location: string, bytes: number, name: string): Promise<void> {
  const where = `model ${JSON.stringify(name)}: its external data file ${JSON.stringify(location)}`;
  const file = join(dirname(path), location);
  const found = await stat(file).catch(() => null);
  if (!found?.isFile()) throw new RefusedError(`${where} is missing: it must lie beside the model (is it committed?)`);
  const [folder, real] = await Promise.all([realpath(dirname(path)), realpath(file)]);
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep))
    throw new RefusedError(`${where} is a link that leads outside the model's folder: put the file there`);
  if (found.size < bytes)
    throw new RefusedError(
      `${where} has ${found.size} bytes but the model needs ${bytes}: it is truncated, or a Git LFS pointer (run "git lfs pull")`,
    );
}
