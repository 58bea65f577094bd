import type { NodeProto, TensorProto } from 'onnx-buf';
import { halfBits } from '../../src/measure/feed-half.ts';
import { graph, int64s, modelBytes, node, storedTensor, valueInfo } from '../../src/model/onnx-build.ts';
import { randomWeights } from './random-weights.ts';

const TABLES = 8;
const ROWS = 2000;
const WIDTH = 16;
const VECTORS = TABLES + 1;

/**
 * A click ranker in the manner of DLRM (Naumov et al. 2019): `dense` float32[batch, 13] through a bottom MLP, `ids`
 * int64[batch, 8] through half-precision embedding tables, the dot products of all pairs, a top MLP, a probability.
 */
export function rankerModel(): Uint8Array {
  const bottom = mlp('bottom', 'dense', [13, 256, 64, WIDTH]);
  const top = mlp('top', 'features', [WIDTH + (VECTORS * (VECTORS - 1)) / 2, 512, 128, 1], { lastRelu: false });
  const tables = [...Array(TABLES).keys()].map(embedding);
  const vectors = [bottom.output, ...tables.map(({ output }) => output)];
  return modelBytes(
    graph({
      name: 'ranker',
      inputs: [valueInfo('dense', 'float32', ['batch', 13]), valueInfo('ids', 'int64', ['batch', TABLES])],
      outputs: [valueInfo('probability', 'float32', ['batch', 1])],
      nodes: [
        ...bottom.nodes,
        ...tables.flatMap(({ nodes }) => nodes),
        ...interactions(vectors),
        node('Concat', [bottom.output, 'pairs'], ['features'], { axis: 1 }),
        ...top.nodes,
        node('Sigmoid', [top.output], ['probability']),
      ],
      initialisers: [
        ...bottom.weights,
        ...tables.flatMap(({ weights }) => weights),
        int64s('stack_shape', [0, VECTORS, WIDTH]),
        int64s('flat_shape', [0, VECTORS * VECTORS]),
        int64s('lower_triangle', lowerTriangle()),
        ...top.weights,
      ],
    }),
  );
}

interface Part {
  readonly nodes: readonly NodeProto[];
  readonly weights: readonly TensorProto[];
  readonly output: string;
}

function mlp(name: string, input: string, widths: readonly number[], { lastRelu = true } = {}): Part {
  const layers = widths.slice(1).map((width, layer) => {
    const from = layer === 0 ? input : `${name}${layer}`;
    const linear = `${name}${layer + 1}_linear`;
    const isLinear = layer === widths.length - 2 && !lastRelu;
    const to = `${name}${layer + 1}`;
    return {
      nodes: [
        node('Gemm', [from, `${linear}_weight`, `${linear}_bias`], [isLinear ? to : linear]),
        ...(isLinear ? [] : [node('Relu', [linear], [to])]),
      ],
      weights: [
        randomWeights(`${linear}_weight`, [widths[layer] ?? 0, width]),
        randomWeights(`${linear}_bias`, [width]),
      ],
    };
  });
  return {
    nodes: layers.flatMap(({ nodes }) => nodes),
    weights: layers.flatMap(({ weights }) => weights),
    output: `${name}${layers.length}`,
  };
}

function embedding(index: number): Part {
  const values = new Float32Array(randomWeights(`table${index}`, [ROWS, WIDTH]).rawData.buffer);
  return {
    nodes: [
      node('Gather', ['ids', `column${index}`], [`id${index}`], { axis: 1 }),
      node('Gather', [`table${index}`, `id${index}`], [`row${index}`]),
      node('Cast', [`row${index}`], [`embedding${index}`], { to: 1 }),
    ],
    weights: [
      int64s(`column${index}`, [index], []),
      storedTensor(`table${index}`, 'float16', [ROWS, WIDTH], Uint16Array.from(values, halfBits)),
    ],
    output: `embedding${index}`,
  };
}

/** Dot products of all pairs of vectors: one batched product with its own transpose, lower triangle. */
function interactions(vectors: readonly string[]): NodeProto[] {
  return [
    node('Concat', vectors, ['wide'], { axis: 1 }),
    node('Reshape', ['wide', 'stack_shape'], ['stack']),
    node('Transpose', ['stack'], ['turned'], { perm: [0, 2, 1] }),
    node('MatMul', ['stack', 'turned'], ['products']),
    node('Reshape', ['products', 'flat_shape'], ['flat_products']),
    node('Gather', ['flat_products', 'lower_triangle'], ['pairs'], { axis: 1 }),
  ];
}

function lowerTriangle(): number[] {
  return [...Array(VECTORS).keys()].flatMap((row) => [...Array(row).keys()].map((column) => row * VECTORS + column));
}
