import { elementBytes } from '../model/onnx-dtypes.ts';
import type { FeedSpec } from '../plan/plan.ts';
import type { FeedData } from './feed-fill.ts';
import { TENSOR_ARRAYS } from './tensor-arrays.ts';

/** One input in a pool's file: its feeds lie there one after the other. Strings are the same in every feed. */
export interface PooledInput {
  readonly name: string;
  readonly dtype: string;
  readonly dims: readonly number[];
  readonly offset: number;
  readonly bytesPerFeed: number;
  readonly text?: string | undefined;
}

/** Where everything lies in a pool's file. */
export interface PoolLayout {
  readonly inputs: readonly (PooledInput & { readonly arms: FeedSpec['arms'] })[];
  readonly bytes: number;
}

/** A pool of feeds on disk: filled once, read by every worker, so that both arms get the same bytes at no cost. */
export interface StoredPool {
  readonly file: string;
  readonly layout: PoolLayout;
  readonly size: number;
}

/** The engine reads tensors faster where they begin on a cache line. */
const ALIGNMENT = 64;

/** Layout of a pool of `size` feeds. */
export function layOutPool(specs: readonly FeedSpec[], size: number): PoolLayout {
  let offset = 0;
  const inputs = specs.map((spec) => {
    const { name, dtype, dims, arms, source } = spec;
    const bytesPerFeed = align(dtype === 'string' ? 0 : elementBytes(dtype) * countOf(dims));
    const input = { name, dtype, dims, arms, offset, bytesPerFeed };
    offset += bytesPerFeed * size;
    return dtype === 'string' ? { ...input, text: String(source.value ?? '') } : input;
  });
  return { inputs, bytes: offset };
}

/** Inputs of one arm, without what only planning needs. */
export function inputsOf(layout: PoolLayout, arm: 'base' | 'head'): PooledInput[] {
  return layout.inputs.filter(({ arms }) => arms === 'both' || arms === arm).map(({ arms: _, ...input }) => input);
}

/** Feed `position` of one input, as a view on `region`, which holds all feeds of that input. Throws for an unknown dtype. */
export function viewFeed(input: PooledInput, region: ArrayBuffer, position: number): FeedData {
  const count = countOf(input.dims);
  if (input.text !== undefined) return Array<string>(count).fill(input.text);
  const View = TENSOR_ARRAYS[input.dtype as keyof typeof TENSOR_ARRAYS];
  if (!View) throw new Error(`inputs of dtype ${JSON.stringify(input.dtype)} cannot be fed`);
  return new View(region, position * input.bytesPerFeed, count);
}

function align(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

function countOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}
