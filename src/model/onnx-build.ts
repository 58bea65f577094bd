import { create, toBinary } from '@bufbuild/protobuf';
import {
  AttributeProto_AttributeType as A,
  type AttributeProto,
  AttributeProtoSchema,
  type GraphProto,
  GraphProtoSchema,
  ModelProtoSchema,
  type NodeProto,
  NodeProtoSchema,
  type TensorProto,
  TensorProtoSchema,
  type ValueInfoProto,
  ValueInfoProtoSchema,
} from 'onnx-buf';
import type { Dim } from './model-facts.ts';
import { elementTypeOf } from './onnx-dtypes.ts';

/** Values of attributes by name; a number is an integer attribute, `{ float }` a float. */
export type Attributes = Readonly<
  Record<string, number | readonly number[] | string | { float: number } | TensorProto | GraphProto>
>;

/** Parts of a graph that are not derived from others. */
export interface GraphParts {
  readonly nodes: readonly NodeProto[];
  readonly inputs: readonly ValueInfoProto[];
  readonly outputs: readonly ValueInfoProto[];
  readonly initialisers?: readonly TensorProto[];
  readonly name?: string;
}

/** An operator of the default domain, or `domain:Op`. */
export function node(
  op: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Attributes = {},
): NodeProto {
  const [opType = '', domain = ''] = op.split(':').reverse();
  const attribute = Object.entries(attributes).map(([name, value]) => attributeOf(name, value));
  return create(NodeProtoSchema, {
    opType,
    domain,
    input: [...inputs],
    output: [...outputs],
    name: outputs[0] ?? '',
    attribute,
  });
}

/** An input or output; without dims its rank is unknown. */
export function valueInfo(name: string, dtype: string, dims?: readonly Dim[]): ValueInfoProto {
  const dim = dims?.map((size) => ({
    value:
      typeof size === 'number'
        ? { case: 'dimValue' as const, value: BigInt(size) }
        : size === ''
          ? { case: undefined }
          : { case: 'dimParam' as const, value: size },
  }));
  const tensor = { elemType: elementTypeOf(dtype), ...(dim ? { shape: { dim } } : {}) };
  return create(ValueInfoProtoSchema, { name, type: { value: { case: 'tensorType', value: tensor } } });
}

/** A stored tensor whose bytes are those of `data` (little-endian, as ONNX stores them). */
export function storedTensor(name: string, dtype: string, dims: readonly number[], data: ArrayBufferView): TensorProto {
  const rawData = new Uint8Array(data.byteLength);
  rawData.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  return create(TensorProtoSchema, { name, dataType: elementTypeOf(dtype), dims: dims.map(BigInt), rawData });
}

/** A float32 tensor. */
export function floats(name: string, dims: readonly number[], values: ArrayLike<number>): TensorProto {
  return storedTensor(name, 'float32', dims, Float32Array.from(values));
}

/** An int64 tensor; a vector where no dims are given. */
export function int64s(
  name: string,
  values: readonly number[],
  dims: readonly number[] = [values.length],
): TensorProto {
  return storedTensor(name, 'int64', dims, BigInt64Array.from(values, BigInt));
}

/** A graph, also for the bodies of If and Loop. */
export function graph({ nodes, inputs, outputs, initialisers = [], name = 'graph' }: GraphParts): GraphProto {
  return create(GraphProtoSchema, {
    name,
    node: [...nodes],
    input: [...inputs],
    output: [...outputs],
    initializer: [...initialisers],
  });
}

/** Bytes of a model file around `main`; opset 17 and IR 8 run on every onnxruntime since 1.12. */
export function modelBytes(main: GraphProto, opset = 17): Uint8Array {
  const opsetImport = [{ domain: '', version: BigInt(opset) }];
  return toBinary(
    ModelProtoSchema,
    create(ModelProtoSchema, { irVersion: 8n, producerName: 'model-gate', opsetImport, graph: main }),
  );
}

function attributeOf(name: string, value: Attributes[string]): AttributeProto {
  if (typeof value === 'number') return create(AttributeProtoSchema, { name, type: A.INT, i: BigInt(value) });
  if (typeof value === 'string')
    return create(AttributeProtoSchema, { name, type: A.STRING, s: new Uint8Array(new TextEncoder().encode(value)) });
  if ('float' in value) return create(AttributeProtoSchema, { name, type: A.FLOAT, f: value.float });
  if (!('$typeName' in value)) return create(AttributeProtoSchema, { name, type: A.INTS, ints: value.map(BigInt) });
  return value.$typeName === 'onnx.TensorProto'
    ? create(AttributeProtoSchema, { name, type: A.TENSOR, t: value })
    : create(AttributeProtoSchema, { name, type: A.GRAPH, g: value });
}
