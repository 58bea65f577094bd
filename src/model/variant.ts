import { clone, toBinary } from '@bufbuild/protobuf';
import { ModelProtoSchema, type NodeProto, type TensorProto } from 'onnx-buf';
import { RefusedError } from '../errors.ts';
import { type DecodedModel, decodeModel } from './decode-model.ts';
import { factsOf, type TensorInfo } from './model-facts.ts';
import { floats, int64s, node } from './onnx-build.ts';
import { elementTypeOf } from './onnx-dtypes.ts';
import { nodesWithin } from './walk-graph.ts';

/** Rows × WIDTH floats go STEPS times through a WIDTH × WIDTH product: 4,096 multiply-adds a row. */
const WIDTH = 32;
const STEPS = 4;
const PREFIX = 'planted_';
const MAX_ROWS = 2 ** 22;

/**
 * The same model with extra work whose cost grows with `rows`: matrix products on a side branch that starts from a fed
 * value and is added to an output times 0, so that no optimiser can drop it and every output keeps its values.
 * Throws RefusedError where the model has no numeric input or no float32 output.
 */
export function plantWork(bytes: Uint8Array, rows: number, path = 'model'): Uint8Array {
  const model = decodeModel(bytes, path);
  const { inputs, outputs } = factsOf(model, path);
  const input = inputs.find(({ dtype }) => /^(float|u?int)/.test(dtype));
  const made = new Set(model.graph.node.flatMap((maker) => maker.output));
  const output = outputs.find(({ name, dtype }) => dtype === 'float32' && made.has(name));
  if (!input || !output)
    throw new RefusedError(
      `model ${JSON.stringify(path)} cannot be slowed down: it needs a numeric input and a float32 output`,
    );
  const hidden = `${PREFIX}${output.name}`;
  const planted = clone(ModelProtoSchema, model) as DecodedModel;
  renameTensor(planted, output.name, hidden);
  const sum = node('Add', [hidden, `${PREFIX}nothing`], [output.name]);
  sum.name = `${PREFIX}sum`;
  planted.graph.node.push(...sideBranch(input), sum);
  planted.graph.initializer.push(...sideWeights(rows));
  return toBinary(ModelProtoSchema, planted);
}

/** The same work in other bytes: another producer, other node names and a note. */
export function reserialise(bytes: Uint8Array, path = 'model'): Uint8Array {
  const model = clone(ModelProtoSchema, decodeModel(bytes, path)) as DecodedModel;
  model.producerName = 'model-gate';
  model.docString = 'The same work as before, written again.';
  model.graph.node.forEach((inner, index) => {
    inner.name = `renamed_${index}`;
  });
  return toBinary(ModelProtoSchema, model);
}

/** Slow-down from which noise no longer blurs the cost of a row. */
const CLEAR_SLOWDOWN = 1;

/**
 * Rows for `plantWork` that make a model slower by about `share` (0.08: 8 %) on the machine where `slowdownOf(rows)`
 * measures: it returns planted ÷ base − 1. Grows the rows until the model is twice as slow, where a busy machine
 * hardly blurs the ratio, scales them down, and corrects once for what few rows cost; noise there can't halve the share.
 */
export async function calibrateRows(slowdownOf: (rows: number) => Promise<number>, share: number): Promise<number> {
  let rows = 256;
  let slowdown = await slowdownOf(rows);
  while (slowdown < CLEAR_SLOWDOWN && rows < MAX_ROWS) {
    const growth = (1.5 * CLEAR_SLOWDOWN) / Math.max(slowdown, CLEAR_SLOWDOWN / 10);
    rows = Math.min(MAX_ROWS, Math.ceil(rows * growth));
    slowdown = await slowdownOf(rows);
  }
  const scaled = Math.max(1, Math.round((rows * share) / slowdown));
  const correction = share / Math.max(await slowdownOf(scaled), share / 10);
  return Math.min(MAX_ROWS, Math.max(1, Math.round(scaled * Math.min(1.2, Math.max(0.6, correction)))));
}

/** Names are unique over a graph and its subgraphs. */
function renameTensor({ graph }: DecodedModel, from: string, to: string): void {
  const rename = (names: string[]) =>
    names.forEach((name, at) => {
      if (name === from) names[at] = to;
    });
  for (const inner of nodesWithin(graph.node)) {
    rename(inner.input);
    rename(inner.output);
  }
  for (const info of graph.valueInfo) if (info.name === from) info.name = to;
}

/** From the first fed value v: rows of v, products that keep their length, their largest value times 0. */
function sideBranch(input: TensorInfo): NodeProto[] {
  const step = (index: number) => `${PREFIX}step${index}`;
  return [
    node('Reshape', [input.name, `${PREFIX}flat`], [`${PREFIX}values`]),
    node('Gather', [`${PREFIX}values`, `${PREFIX}start`], [`${PREFIX}first`]),
    node('Cast', [`${PREFIX}first`], [`${PREFIX}seed`], { to: elementTypeOf('float32') }),
    node('Expand', [`${PREFIX}seed`, `${PREFIX}shape`], [step(0)]),
    ...Array.from({ length: STEPS }, (_, index) => node('MatMul', [step(index), `${PREFIX}turn`], [step(index + 1)])),
    node('ReduceMax', [step(STEPS)], [`${PREFIX}largest`], { keepdims: 0 }),
    node('Mul', [`${PREFIX}largest`, `${PREFIX}zero`], [`${PREFIX}nothing`]),
  ];
}

function sideWeights(rows: number): TensorProto[] {
  return [
    int64s(`${PREFIX}flat`, [-1]),
    int64s(`${PREFIX}start`, [0]),
    int64s(`${PREFIX}shape`, [rows, WIDTH]),
    floats(`${PREFIX}turn`, [WIDTH, WIDTH], turnMatrix()),
    floats(`${PREFIX}zero`, [], [0]),
  ];
}

/** An orthogonal matrix (Hadamard's, scaled): values neither grow nor fade however often it is applied. */
function turnMatrix(): Float32Array {
  const sign = (row: number, column: number): number => {
    let parity = row & column;
    for (const shift of [8, 4, 2, 1]) parity ^= parity >> shift;
    return parity & 1 ? -1 : 1;
  };
  return Float32Array.from(
    { length: WIDTH * WIDTH },
    (_, i) => sign(Math.floor(i / WIDTH), i % WIDTH) / Math.sqrt(WIDTH),
  );
}
