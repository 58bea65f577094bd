import type { Dim, TensorInfo } from '../model/model-facts.ts';
import { ownValue } from '../model/own-value.ts';
import { ask, dimsAnswer, inputAnswer } from './feed-questions.ts';

/** What symbolic dimensions are resolved with. */
export interface DimSizes {
  readonly batch: number;
  /** `dims:` of the model's config. */
  readonly sizes: Readonly<Record<string, number>>;
  /** Symbolic names that stand for the batch. */
  readonly batchNames: ReadonlySet<string>;
}

export type ResolvedDims =
  | { readonly dims: readonly number[]; readonly usesBatch: boolean }
  | { readonly question: string };

const BATCH_NAME = /^(n|b|bs|batch|batch[ _-]?size|batch_?dim|.*_batch|batch_.*)$/i;
/** Names that exporters make up (Paddle, tf2onnx, Keras, torch.export) say nothing about the dimension. */
const MADE_UP_NAME = /^(|\?|none|-1|unk_.*|p2o\..*|dynamic.*|.*dynamic_axes.*|s\d+|dim_?\d*|.*_dim_0|d0)$/i;

/** Symbolic names that stand for the batch: named so anywhere, or made up by an exporter in first place. */
export function findBatchNames(inputs: readonly TensorInfo[]): ReadonlySet<string> {
  const names = inputs.flatMap(({ dims }) =>
    (dims ?? []).filter(
      (dim, axis) => typeof dim === 'string' && (BATCH_NAME.test(dim) || (axis === 0 && MADE_UP_NAME.test(dim))),
    ),
  );
  return new Set(names.filter((name): name is string => typeof name === 'string'));
}

/** Sizes of an input from the model's own dimensions, or the question that settles them. */
export function resolveModelDims(input: TensorInfo, known: DimSizes): ResolvedDims {
  if (!input.dims)
    return {
      question: ask(input, 'has no shape in the model: which one?', inputAnswer(input.name, { dims: ['batch', 128] })),
    };
  const sizes = input.dims.map((dim, axis) => sizeOf(dim, axis, known));
  if (sizes.every((size) => size !== null))
    return { dims: sizes, usesBatch: input.dims.some((dim, axis) => isBatch(dim, axis, known)) };
  return { question: askSizes(input, input.dims, sizes, known) };
}

/** Sizes of an input from the config's own dimensions; a name is `batch`, a key of `dims:`, or a question. */
export function resolveConfigDims(input: TensorInfo, dims: readonly Dim[], known: DimSizes): ResolvedDims {
  const sizes = dims.map((dim) =>
    dim === 'batch' ? known.batch : typeof dim === 'number' ? dim : (ownValue(known.sizes, dim) ?? null),
  );
  const missing = dims.find((_, axis) => sizes[axis] === null);
  if (missing !== undefined) {
    const problem = `uses the size ${JSON.stringify(missing)}, which is not set`;
    return { question: ask(input, problem, dimsAnswer(String(missing), 128)) };
  }
  const resolved = sizes.filter((size) => size !== null);
  if (!fits(input.dims, resolved))
    return { question: ask(input, `does not take the configured dims [${dims.join(', ')}]: correct them`) };
  return { dims: resolved, usesBatch: dims.includes('batch') };
}

/** Whether sizes agree with a model's rank and fixed dimensions. */
export function fits(dims: readonly Dim[] | null, sizes: readonly number[]): boolean {
  if (!dims) return true;
  return dims.length === sizes.length && dims.every((dim, axis) => typeof dim === 'string' || dim === sizes[axis]);
}

/** Whether a model's dimension takes the batch. An unnamed one does so in first place only. */
export function isBatch(dim: Dim, axis: number, { batchNames, sizes }: DimSizes): boolean {
  return typeof dim === 'string' && !Object.hasOwn(sizes, dim) && batchNames.has(dim) && (dim !== '' || axis === 0);
}

function sizeOf(dim: Dim, axis: number, known: DimSizes): number | null {
  if (typeof dim === 'number') return dim;
  return isBatch(dim, axis, known) ? known.batch : (ownValue(known.sizes, dim) ?? null);
}

function askSizes(input: TensorInfo, dims: readonly Dim[], sizes: readonly (number | null)[], known: DimSizes): string {
  const missing = dims.filter((dim, axis): dim is string => typeof dim === 'string' && sizes[axis] === null);
  const guess = dims.length === 4 && [1, 3, 4].includes(Number(dims[1])) ? 224 : 128;
  const problem = `has ${missing.length === 1 ? 'a dimension' : 'dimensions'} without a size: which size does production send?`;
  const [only] = new Set(missing).size === 1 ? missing : [];
  if (only !== undefined && !MADE_UP_NAME.test(only)) return ask(input, problem, dimsAnswer(only, guess));
  const takesBatch = dims.some((dim, axis) => isBatch(dim, axis, known));
  const firstOpen = sizes.indexOf(null);
  const proposal = dims.map((dim, axis) => {
    if (isBatch(dim, axis, known) || (!takesBatch && axis === firstOpen && axis < 2)) return 'batch';
    return sizes[axis] ?? guess;
  });
  return ask(input, problem, inputAnswer(input.name, { dims: proposal }));
}
