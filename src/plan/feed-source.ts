import type { InputSpec } from '../inputs/gate-config.ts';
import type { IdUse } from '../model/id-uses.ts';
import type { TensorInfo } from '../model/model-facts.ts';
import { ask, inputAnswer } from './feed-questions.ts';

/** How an input is filled, or the question that settles it; `note` says what was guessed. */
export type FeedSource = { readonly source: InputSpec; readonly note?: string } | { readonly question: string };

/** Inclusive bounds of the integer types that can be fed. */
const BOUNDS: Readonly<Record<string, readonly [number, number]>> = {
  int8: [-128, 127],
  uint8: [0, 255],
  int16: [-32768, 32767],
  uint16: [0, 65535],
  int32: [-(2 ** 31), 2 ** 31 - 1],
  uint32: [0, 2 ** 32 - 1],
  int64: [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  uint64: [0, Number.MAX_SAFE_INTEGER],
};
const FLOATS = ['float16', 'float32', 'float64'];

/** Whether onnxruntime's Node binding can be fed this dtype. */
export function isFeedable(dtype: string): boolean {
  return FLOATS.includes(dtype) || dtype in BOUNDS || dtype === 'bool' || dtype === 'string';
}

/** Resolves the fill of one input from its config, else guesses it from the model. */
export function chooseSource(input: TensorInfo, spec: InputSpec, use: IdUse | undefined): FeedSource {
  const seed = spec.seed ?? 0;
  if (spec.value !== undefined || spec.fill === 'constant') return constant(input, spec, seed);
  if (input.dtype === 'string')
    return asked(spec, input) ?? { source: { fill: 'constant', value: '', seed }, note: 'empty strings' };
  if (input.dtype === 'bool') return { source: { fill: 'uniform', seed }, note: 'true and false alike' };
  if (spec.range || spec.fill) return ranged(input, spec, use, seed);
  return guess(input, use, seed);
}

function asked(spec: InputSpec, input: TensorInfo): FeedSource | null {
  return spec.fill || spec.range
    ? { question: ask(input, 'holds strings: only a constant can fill it', inputAnswer(input.name, { value: '' })) }
    : null;
}

function constant(input: TensorInfo, { value }: InputSpec, seed: number): FeedSource {
  const kind = input.dtype === 'string' ? 'string' : input.dtype === 'bool' ? 'boolean' : 'number';
  const example = { string: 'text', boolean: true, number: 1 }[kind];
  if (typeof value !== kind)
    return {
      question: ask(
        input,
        `needs a ${kind} as its constant value`,
        inputAnswer(input.name, { fill: 'constant', value: example }),
      ),
    };
  const bounds = BOUNDS[input.dtype];
  if (bounds && !(Number.isInteger(value) && Number(value) >= bounds[0] && Number(value) <= bounds[1]))
    return { question: ask(input, `cannot hold the value ${value}: correct it`) };
  return { source: { fill: 'constant', value, seed } };
}

function ranged(input: TensorInfo, spec: InputSpec, use: IdUse | undefined, seed: number): FeedSource {
  const fill = spec.fill ?? (use ? 'zipf' : 'uniform');
  const isInteger = input.dtype in BOUNDS;
  if (fill === 'normal')
    return isInteger
      ? { question: ask(input, 'holds integers: the fill "normal" makes none, use uniform or zipf with a range') }
      : { source: { fill, seed } };
  const bounds = spec.range ?? tableRange(use) ?? (isInteger || fill === 'zipf' ? null : ([0, 1] as const));
  if (!bounds) return { question: askRange(input) };
  const [low, high] = clampToTable(bounds, use);
  const limits = BOUNDS[input.dtype] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const isWhole = Number.isSafeInteger(low) && Number.isSafeInteger(high);
  if (low > high || low < limits[0] || high > limits[1] || ((isInteger || fill === 'zipf') && !isWhole))
    return { question: ask(input, `cannot be filled with the range [${bounds.join(', ')}]: correct it`) };
  const cut = low !== bounds[0] || high !== bounds[1];
  const source: InputSpec = { fill, range: [low, high], seed };
  return cut && use?.kind === 'table'
    ? { source, note: `range cut to [${low}, ${high}]: table ${use.table} has ${use.rows} rows` }
    : { source };
}

function guess(input: TensorInfo, use: IdUse | undefined, seed: number): FeedSource {
  const range = tableRange(use);
  if (range && use?.kind === 'table')
    return {
      source: { fill: 'zipf', range, seed },
      note: `zipf ids in [${range.join(', ')}], the rows of table ${use.table}`,
    };
  if (FLOATS.includes(input.dtype)) return guessFloat(input, seed);
  if (use) return { question: askRange(input) };
  if (isScalar(input)) return { question: askValue(input) };
  const bounds = BOUNDS[input.dtype];
  if (bounds && /^u?int(8|16)$/.test(input.dtype))
    return { source: { fill: 'uniform', range: [...bounds], seed }, note: `uniform in [${bounds.join(', ')}]` };
  if (/mask/i.test(input.name))
    return { source: { fill: 'constant', value: 1, seed }, note: 'ones (a mask by its name)' };
  return { question: askRange(input) };
}

function guessFloat(input: TensorInfo, seed: number): FeedSource {
  if (isScalar(input) && isRate(input)) return { question: askValue(input) };
  if (isScalar(input)) return { source: { fill: 'constant', value: 1, seed }, note: 'the number 1' };
  const isImage = input.dims?.length === 4 && (isChannels(input.dims[1]) || isChannels(input.dims[3]));
  if (isImage) return { source: { fill: 'uniform', range: [0, 1], seed }, note: 'uniform in [0, 1], as an image' };
  return { source: { fill: 'normal', seed }, note: 'normal, mean 0 and deviation 1' };
}

function isChannels(dim: number | string | undefined): boolean {
  return dim === 1 || dim === 3 || dim === 4;
}

function isScalar({ dims }: TensorInfo): boolean {
  return dims?.length === 0 || (dims?.length === 1 && dims[0] === 1);
}

function isRate({ name }: TensorInfo): boolean {
  return /^(sr|rate)$|sample_?rate|sampling_?rate/i.test(name);
}

function tableRange(use: IdUse | undefined): [number, number] | null {
  return use?.kind === 'table' ? [0, use.rows - 1] : null;
}

/** Negative ids count from a table's end. */
function clampToTable([low, high]: readonly [number, number], use: IdUse | undefined): readonly [number, number] {
  return use?.kind === 'table' ? [Math.max(low, -use.rows), Math.min(high, use.rows - 1)] : [low, high];
}

function askRange(input: TensorInfo): string {
  return ask(
    input,
    'holds integers that may be ids: which range do they lie in?',
    inputAnswer(input.name, { range: [0, 99999] }),
  );
}

function askValue(input: TensorInfo): string {
  return ask(
    input,
    'is a single number with a meaning of its own: which value does production send?',
    inputAnswer(input.name, { value: isRate(input) ? 16000 : 1 }),
  );
}
