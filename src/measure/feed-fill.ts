import { NoVerdictError } from '../errors.ts';
import type { FeedSpec } from '../plan/plan.ts';
import { halfBits } from './feed-half.ts';
import { drawUnit, drawWhole, normalDraws, type RandomBits, seedRandom } from './feed-random.ts';
import { zipfDraws } from './feed-zipf.ts';
import { TENSOR_ARRAYS } from './tensor-arrays.ts';

/** Elements of a tensor: half floats as their bits, booleans as bytes. */
export type FeedData =
  | Float32Array
  | Float64Array
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | string[];

/** A tensor to feed, or one read from a file. */
export interface Feed {
  readonly dtype: string;
  readonly dims: readonly number[];
  readonly data: FeedData;
}

/** What onnxruntime-node's run() takes for a tensor. */
export interface TensorLike {
  readonly type: string;
  readonly dims: readonly number[];
  readonly location: 'cpu';
  readonly data: FeedData;
}

/**
 * One feed of a pool: the same spec and pool index give the same bytes in every process and on every machine, so
 * both arms get equal data. `stored` is the content of the spec's file. Throws NoVerdictError for an unplanned dtype.
 */
export function fillFeed(spec: FeedSpec, poolIndex: number, stored?: Feed): Feed {
  const { name, dtype, dims, source } = spec;
  const count = dims.reduce((product, size) => product * size, 1);
  if (source.file !== undefined) return { dtype, dims, data: cutBatch(spec, poolIndex, count, stored) };
  if (dtype === 'string') return { dtype, dims, data: Array(count).fill(String(source.value ?? '')) };
  const random = seedRandom(JSON.stringify([source.seed ?? 0, name, poolIndex]));
  return { dtype, dims, data: writeNumbers(dtype, count, drawsOf(spec, random)) };
}

/** The feed as a plain object: Node 24's own Float16Array makes onnxruntime's Tensor class refuse half floats. */
export function toTensorLike({ dtype, dims, data }: Feed): TensorLike {
  return { type: dtype, dims, location: 'cpu', data };
}

/** Bytes of a feed's data; strings by their UTF-16 length. */
export function dataBytes(data: FeedData): number {
  return Array.isArray(data) ? data.reduce((sum, text) => sum + 2 * text.length, 0) : data.byteLength;
}

function drawsOf({ dtype, source }: FeedSpec, random: RandomBits): () => number {
  const { fill = 'uniform', value } = source;
  const isFloat = dtype.startsWith('float');
  const [low, high] = source.range ?? [0, 1];
  switch (fill) {
    case 'constant':
      return () => Number(value);
    case 'normal':
      return normalDraws(random);
    case 'zipf':
      return zipfDraws(random, low, high);
    case 'uniform':
      return isFloat ? () => low + drawUnit(random) * (high - low) : () => drawWhole(random, low, high);
  }
}

function writeNumbers(dtype: string, count: number, draw: () => number): FeedData {
  const data = newArray(dtype, count);
  if (data instanceof BigInt64Array || data instanceof BigUint64Array) {
    writeWide(new Int32Array(data.buffer), draw);
    return data;
  }
  const convert = dtype === 'float16' ? () => halfBits(draw()) : draw;
  for (let i = 0; i < count; i++) data[i] = convert();
  return data;
}

/** 64-bit integers as two halves, little end first: making BigInts would take most of the time. */
function writeWide(halves: Int32Array, draw: () => number): void {
  for (let i = 0; i < halves.length; i += 2) {
    const whole = draw();
    halves[i] = whole | 0;
    halves[i + 1] = Math.floor(whole / 2 ** 32);
  }
}

function newArray(dtype: string, count: number): Exclude<FeedData, string[]> {
  const Type = TENSOR_ARRAYS[dtype as keyof typeof TENSOR_ARRAYS];
  if (!Type) throw new NoVerdictError(`inputs of dtype ${JSON.stringify(dtype)} cannot be fed`);
  return new Type(count);
}

/** Rows of the file in turn, starting over at its end. */
function cutBatch({ name }: FeedSpec, poolIndex: number, count: number, stored: Feed | undefined): FeedData {
  if (!stored) throw new NoVerdictError(`the file for input ${JSON.stringify(name)} was not read`);
  const { data } = stored;
  if (data.length === count) return data;
  const start = poolIndex * count;
  const at = (i: number) => data[(start + i) % data.length];
  if (Array.isArray(data)) return Array.from({ length: count }, (_, i) => String(at(i)));
  const cut = newArray(stored.dtype, count);
  for (let i = 0; i < count; i++) cut[i] = at(i) as never;
  return cut;
}
