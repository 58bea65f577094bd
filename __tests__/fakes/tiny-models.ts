import type { NodeProto, TensorProto } from 'onnx-buf';
import { TensorProto_DataLocation } from 'onnx-buf';
import type { Dim } from '../../src/model/model-facts.ts';
import { floats, graph, int64s, modelBytes, node, storedTensor, valueInfo } from '../../src/model/onnx-build.ts';

/** A chain of Gemm and Relu over `float32[batch, dim]`; the cost grows with dim² × layers. */
export function tinyMlp({
  dim = 16,
  layers = 2,
}: {
  readonly dim?: number;
  readonly layers?: number;
} = {}): Uint8Array {
  const nodes = Array.from({ length: layers }, (_, layer) => [
    node('MatMul', [layer === 0 ? 'x' : `h${layer}`, `w${layer}`], [`m${layer}`]),
    node('Relu', [`m${layer}`], [layer === layers - 1 ? 'y' : `h${layer + 1}`]),
  ]).flat();
  const initialisers = Array.from({ length: layers }, (_, layer) =>
    floats(`w${layer}`, [dim, dim], waves(dim * dim, layer + 1)),
  );
  return modelBytes(
    graph({
      nodes,
      initialisers,
      inputs: [valueInfo('x', 'float32', ['batch', dim])],
      outputs: [valueInfo('y', 'float32', ['batch', dim])],
    }),
  );
}

/** Tables looked up by `ids` int64[batch, tables], stored outside the model; `data` fills them where asked for. */
export function embeddingModel({ tables = 26, rows = 90_000, width = 16, location = 'tables.bin' } = {}): {
  readonly bytes: Uint8Array;
  /** Bytes the external file must have: tables × rows × width × 4. */
  readonly externalBytes: number;
} {
  const tableBytes = rows * width * 4;
  const initialisers = [...Array(tables).keys()].flatMap((table) => [
    externalTensor(floats(`table${table}`, [0], []), [rows, width], location, table * tableBytes),
    int64s(`column${table}`, [table], []),
  ]);
  const nodes = [...Array(tables).keys()].flatMap((table) => [
    node('Gather', ['ids', `column${table}`], [`id${table}`], { axis: 1 }),
    node('Gather', [`table${table}`, `id${table}`], [`row${table}`]),
  ]);
  const rowNames = [...Array(tables).keys()].map((table) => `row${table}`);
  const main = graph({
    nodes: [
      ...nodes,
      node('Concat', rowNames, ['rows'], { axis: 1 }),
      node('ReduceMean', ['rows'], ['y'], { axes: [1], keepdims: 1 }),
    ],
    initialisers,
    inputs: [valueInfo('ids', 'int64', ['batch', tables])],
    outputs: [valueInfo('y', 'float32', ['batch', 1])],
  });
  return { bytes: modelBytes(main), externalBytes: tables * tableBytes };
}

/** Every input passed on as an output `<name>_out`. */
export function passThroughModel(
  inputs: readonly { readonly name: string; readonly dtype: string; readonly dims: readonly Dim[] }[],
): Uint8Array {
  return modelBytes(
    graph({
      nodes: inputs.map(({ name }) => node('Identity', [name], [`${name}_out`])),
      inputs: inputs.map(({ name, dtype, dims }) => valueInfo(name, dtype, dims)),
      outputs: inputs.map(({ name, dtype, dims }) => valueInfo(`${name}_out`, dtype, dims)),
    }),
  );
}

/** y = x − x ÷ 0: NaN whatever is fed. */
export function nanModel(): Uint8Array {
  return xToY([node('Sub', ['x', 'x'], ['zero']), node('Div', ['zero', 'zero'], ['y'])]);
}

/** A Loop whose condition never turns false: run() does not return. */
export function infiniteLoopModel(): Uint8Array {
  const body = graph({
    nodes: [node('Identity', ['cond_in'], ['cond_out']), node('Abs', ['v_in'], ['v_out'])],
    inputs: [
      valueInfo('i', 'int64', []),
      valueInfo('cond_in', 'bool', []),
      valueInfo('v_in', 'float32', ['batch', 16]),
    ],
    outputs: [valueInfo('cond_out', 'bool', []), valueInfo('v_out', 'float32', ['batch', 16])],
  });
  return xToY([node('Loop', ['', 'go', 'x'], ['y'], { body })], [storedTensor('go', 'bool', [], Uint8Array.of(1))]);
}

/** Asks for `bytes` of memory in one tensor, and touches it. */
export function hugeAllocationModel(bytes = 64e9): Uint8Array {
  const nodes = [
    node('Shape', ['x'], ['shape']),
    node('Gather', ['shape', 'zero'], ['batch']),
    node('Concat', ['size', 'batch'], ['both'], { axis: 0 }),
    node('ConstantOfShape', ['both'], ['huge']),
    node('ReduceMax', ['huge'], ['max'], { keepdims: 0 }),
    node('Add', ['x', 'max'], ['y']),
  ];
  return xToY(nodes, [int64s('zero', [0]), int64s('size', [Math.ceil(bytes / 4)])]);
}

/** An operator no runtime knows. */
export function unknownOpModel(): Uint8Array {
  return xToY([node('FooBar', ['x'], ['y'])]);
}

/** An opset no runtime implements yet. */
export function wrongOpsetModel(opset = 99): Uint8Array {
  return xToY([node('Relu', ['x'], ['y'])], [], opset);
}

/** A node that reads a tensor nobody makes. */
export function danglingInputModel(): Uint8Array {
  return xToY([node('Add', ['x', 'nope'], ['y'])]);
}

function xToY(nodes: readonly NodeProto[], initialisers: readonly TensorProto[] = [], opset = 17): Uint8Array {
  const inputs = [valueInfo('x', 'float32', ['batch', 16])];
  return modelBytes(graph({ nodes, initialisers, inputs, outputs: [valueInfo('y', 'float32', ['batch', 16])] }), opset);
}

function externalTensor(tensor: TensorProto, dims: readonly number[], location: string, offset: number): TensorProto {
  tensor.dims = dims.map(BigInt);
  tensor.dataLocation = TensorProto_DataLocation.EXTERNAL;
  tensor.externalData = Object.entries({ location, offset: String(offset) }).map(([key, value]) => ({
    $typeName: 'onnx.StringStringEntryProto',
    key,
    value,
  }));
  return tensor;
}

/** Values in ±0.3 without a pattern a compiler could use; plain enough to be the same everywhere. */
function waves(count: number, seed: number): number[] {
  return Array.from({ length: count }, (_, i) => (((i * 7919 + seed * 104729) % 1000) - 500) / 1700);
}
