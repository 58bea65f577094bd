import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { parse } from 'npyjs';
import { RefusedError } from '../errors.ts';
import type { FeedFileFacts } from '../plan/feed-files.ts';
import type { Feed, FeedData } from './feed-fill.ts';

/** Names of NumPy's element types as onnxruntime calls them. */
const DTYPES: Readonly<Record<string, string>> = {
  b1: 'bool',
  i1: 'int8',
  u1: 'uint8',
  i2: 'int16',
  u2: 'uint16',
  i4: 'int32',
  u4: 'uint32',
  i8: 'int64',
  u8: 'uint64',
  f2: 'float16',
  f4: 'float32',
  f8: 'float64',
};

/**
 * The array in a `.npy` file, or the one called `key` in a `.npz`, in C order. `name` is how messages call the file.
 * Throws RefusedError for another format, a missing or unneeded key, big-endian or object arrays, or missing data.
 */
export function readFeedFile(bytes: Uint8Array, name: string, key?: string): Feed {
  const where = `input file ${JSON.stringify(name)}`;
  if (!isZip(bytes)) {
    if (key !== undefined)
      throw new RefusedError(`${where} is no .npz, so it has no array ${JSON.stringify(key)}: leave out "key"`);
    return parseArray(bytes, where);
  }
  return parseArray(unzipArray(bytes, where, key), `${where}, array ${JSON.stringify(key)}`);
}

/** What planning needs to know of a file. */
export function factsOfFeedFile(bytes: Uint8Array, { dtype, dims }: Feed): FeedFileFacts {
  return { dtype, dims, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function isZip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x50 && bytes[1] === 0x4b;
}

function unzipArray(bytes: Uint8Array, where: string, key: string | undefined): Uint8Array {
  const entries = unzip(bytes, where);
  const keys = Object.keys(entries).map((entry) => entry.replace(/\.npy$/, ''));
  const found = key === undefined ? undefined : (entries[`${key}.npy`] ?? entries[key]);
  if (found) return found;
  const list = keys.map((known) => JSON.stringify(known)).join(', ');
  throw new RefusedError(
    `${where} holds the arrays ${list}: name one as "key"${key === undefined ? '' : `, not ${JSON.stringify(key)}`}`,
  );
}

function unzip(bytes: Uint8Array, where: string): Readonly<Record<string, Uint8Array>> {
  try {
    return unzipSync(bytes);
  } catch {
    throw new RefusedError(`${where} is a damaged .npz: save it again with numpy.savez`);
  }
}

function parseArray(bytes: Uint8Array, where: string): Feed {
  const array = parseNpy(bytes, where);
  const dtype = DTYPES[array.dtype];
  if (!dtype)
    throw new RefusedError(
      `${where} holds elements of the kind ${JSON.stringify(array.dtype)}: save numbers or booleans`,
    );
  const count = array.shape.reduce((product, size) => product * size, 1);
  const data =
    dtype === 'bool'
      ? Uint8Array.from(array.data as never, Number)
      : (array.data as unknown as Exclude<FeedData, string[]>);
  if (data.length !== count)
    throw new RefusedError(`${where} is damaged: it has ${data.length} elements, its shape ${count}`);
  return { dtype, dims: array.shape, data: array.fortranOrder ? toRowMajor(data, array.shape) : data };
}

function parseNpy(bytes: Uint8Array, where: string): ReturnType<typeof parse> {
  try {
    const copy = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    return parse(copy as ArrayBuffer, { convertFloat16: false });
  } catch {
    throw new RefusedError(`${where} is no array of little-endian numbers or booleans: save it with numpy.save`);
  }
}

/** Element order of C from that of Fortran, whose first index runs fastest. */
function toRowMajor<T extends Exclude<FeedData, string[]>>(data: T, dims: readonly number[]): T {
  const ordered = data.slice() as T;
  const index = dims.map(() => 0);
  for (let i = 0; i < data.length; i++) {
    ordered[i] = data[columnMajorOffset(index, dims)] as never;
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      index[axis] = (index[axis] ?? 0) + 1;
      if ((index[axis] ?? 0) < (dims[axis] ?? 0)) break;
      index[axis] = 0;
    }
  }
  return ordered;
}

function columnMajorOffset(index: readonly number[], dims: readonly number[]): number {
  return index.reduceRight((offset, at, axis) => at + (dims[axis] ?? 1) * offset, 0);
}
