import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { floats, graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';

/** A model with one float32 input, on disk beside one feed. */
export interface TimedModel {
  readonly name: string;
  readonly file: string;
  readonly input: string;
  readonly output: string;
  readonly dims: readonly number[];
  /** File that holds one feed. */
  readonly data: string;
}

/** Chains of matrix products from about 2 us to 30 ms, all with an output of one row of ten. */
const CHAINS = [
  { dim: 16, rows: 1, layers: 1 },
  { dim: 64, rows: 8, layers: 4 },
  { dim: 128, rows: 16, layers: 16 },
  { dim: 256, rows: 32, layers: 24 },
  { dim: 512, rows: 32, layers: 24 },
  { dim: 1024, rows: 32, layers: 24 },
] as const;

/** Writes the chains and a feed for each model into `folder`; `real` are models that lie elsewhere. */
export function writeModels(folder: string, real: readonly Omit<TimedModel, 'data'>[]): TimedModel[] {
  const chains = CHAINS.map(({ dim, rows, layers }) => {
    const name = `chain of ${layers} × ${dim}, batch ${rows}`;
    const file = join(folder, `chain-${dim}-${layers}.onnx`);
    writeFileSync(file, chain(dim, rows, layers));
    return { name, file, input: 'x', output: 'y', dims: [rows, dim] };
  });
  return [...chains, ...real].map((model, position) => {
    const data = join(folder, `feed-${position}.bin`);
    const count = model.dims.reduce((product, dim) => product * dim, 1);
    writeFileSync(
      data,
      Float32Array.from({ length: count }, (_, i) => Math.sin(i)),
    );
    return { ...model, data };
  });
}

function chain(dim: number, rows: number, layers: number): Uint8Array {
  const value = (layer: number): string => (layer === 0 ? 'x' : `h${layer}`);
  const weights = (columns: number, seed: number): Float32Array =>
    Float32Array.from({ length: dim * columns }, (_, i) => (2 * Math.sin(i + seed)) / Math.sqrt(dim));
  const nodes = Array.from({ length: layers }, (_, layer) => [
    node('MatMul', [value(layer), `w${layer}`], [`m${layer}`]),
    node('Relu', [`m${layer}`], [value(layer + 1)]),
  ]).flat();
  return modelBytes(
    graph({
      nodes: [
        ...nodes,
        node('MatMul', [value(layers), 'last'], ['wide']),
        node('ReduceMean', ['wide'], ['y'], { axes: [0], keepdims: 1 }),
      ],
      initialisers: [
        ...Array.from({ length: layers }, (_, layer) => floats(`w${layer}`, [dim, dim], weights(dim, layer))),
        floats('last', [dim, 10], weights(10, layers)),
      ],
      inputs: [valueInfo('x', 'float32', [rows, dim])],
      outputs: [valueInfo('y', 'float32', [1, 10])],
    }),
  );
}
