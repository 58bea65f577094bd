import type { NodeProto, TensorProto } from 'onnx-buf';
import { floats, graph, int64s, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';

/** What is planted into a head model. */
export type Plant = 'nothing' | 'slower' | 'bigger' | 'fallback';

const INPUTS = 64;
const LAYERS = 20;

/**
 * Layers of one `width`² matrix over float32[batch, 64], with a plant: `slower` one layer more (5 %), `bigger` a table
 * of `tableSide`² × 4 bytes, `fallback` an operator without a GPU kernel. The matrices are outer products that the
 * engine folds at load: large in memory, small in the file.
 */
export function chainModel({
  width,
  tableSide,
  plant,
}: {
  width: number;
  tableSide: number;
  plant: Plant;
}): Uint8Array {
  const layers = plant === 'slower' ? LAYERS + 1 : LAYERS;
  const nodes: NodeProto[] = [
    outer('enter'),
    outer('w'),
    node('MatMul', ['x', 'enter'], ['h0']),
    ...Array.from({ length: layers }, (_, i) => [
      node('MatMul', [`h${i}`, 'w'], [`m${i}`]),
      node('Relu', [`m${i}`], [`h${i + 1}`]),
    ]).flat(),
  ];
  const weights = [...vectors('enter', INPUTS, width), ...vectors('w', width, width)];
  const { last, more, tables } = planted(plant, `h${layers}`, tableSide);
  return modelBytes(
    graph({
      name: `chain-${width}-${plant}`,
      nodes: [...nodes, ...more, node('ReduceMean', [last], ['y'], { axes: [1], keepdims: 1 })],
      initialisers: [...weights, ...tables],
      inputs: [valueInfo('x', 'float32', ['batch', INPUTS])],
      outputs: [valueInfo('y', 'float32', ['batch', 1])],
    }),
  );
}

function planted(plant: Plant, last: string, side: number): { last: string; more: NodeProto[]; tables: TensorProto[] } {
  switch (plant) {
    case 'nothing':
    case 'slower':
      return { last, more: [], tables: [] };
    case 'fallback':
      return { last: 'hard', more: [node('Hardmax', [last], ['hard'], { axis: 1 })], tables: [] };
    case 'bigger':
      // One row of the input goes through the table: memory grows, time hardly does.
      return {
        last: 'sum',
        more: [
          outer('widen'),
          outer('table'),
          node('Slice', ['x', 'zero', 'one', 'zero'], ['row']),
          node('MatMul', ['row', 'widen'], ['wide']),
          node('MatMul', ['wide', 'table'], ['looked']),
          node('ReduceMean', ['looked'], ['mean'], { axes: [1], keepdims: 1 }),
          node('Add', [last, 'mean'], ['sum']),
        ],
        tables: [
          ...vectors('widen', INPUTS, side),
          ...vectors('table', side, side),
          int64s('zero', [0]),
          int64s('one', [1]),
        ],
      };
  }
}

/** A matrix that the engine computes at load from its two vectors. */
function outer(name: string): NodeProto {
  return node('MatMul', [`${name}Column`, `${name}Row`], [name]);
}

function vectors(name: string, rows: number, columns: number): TensorProto[] {
  return [
    floats(`${name}Column`, [rows, 1], waves(rows, 1 / rows)),
    floats(`${name}Row`, [1, columns], waves(columns, 1)),
  ];
}

/** Positive values about `mean`, so that every layer keeps its size. */
function waves(length: number, mean: number): number[] {
  return Array.from({ length }, (_, i) => Math.fround(mean * (1 + 0.5 * Math.sin(i))));
}
