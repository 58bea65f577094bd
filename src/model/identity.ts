import { create } from '@bufbuild/protobuf';
import type { TensorProto } from 'onnx-buf';
import { TensorProtoSchema } from 'onnx-buf';
import { graph, int64s, modelBytes, node, valueInfo } from './onnx-build.ts';
import { elementTypeOf, tensorBytes } from './onnx-dtypes.ts';

/** A tensor whose shape is settled. */
export interface FixedTensor {
  readonly name: string;
  readonly dtype: string;
  readonly dims: readonly number[];
}

/**
 * A model with the given inputs and outputs that does no work: it ignores what it is fed and returns zeros. What a run
 * of it takes is the floor below which no model with this signature can be measured. `outputs` are those fetched.
 */
export function identityModelFor(inputs: readonly FixedTensor[], outputs: readonly FixedTensor[]): Uint8Array {
  return modelBytes(
    graph({
      name: 'floor',
      nodes: outputs.map(({ name }, i) => node('Expand', [`zero${i}`, `shape${i}`], [name])),
      inputs: inputs.map(({ name, dtype, dims }) => valueInfo(name, dtype, dims)),
      outputs: outputs.map(({ name, dtype, dims }) => valueInfo(name, dtype, dims)),
      initialisers: outputs.flatMap(({ dtype, dims }, i) => [zero(`zero${i}`, dtype), int64s(`shape${i}`, dims)]),
    }),
  );
}

function zero(name: string, dtype: string): TensorProto {
  const scalar = create(TensorProtoSchema, { name, dataType: elementTypeOf(dtype) });
  if (dtype === 'string') scalar.stringData = [new Uint8Array()];
  else scalar.rawData = new Uint8Array(tensorBytes(scalar));
  return scalar;
}
