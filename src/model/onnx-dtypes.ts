import { TensorProto_DataType as D, type TensorProto } from 'onnx-buf';

/** Names as onnxruntime uses them for tensors it can be fed; the rest as ONNX spells them, in lower case. */
const NAMES: Readonly<Record<number, string>> = { [D.FLOAT]: 'float32', [D.DOUBLE]: 'float64' };

/** Bits of one element; strings have none of their own. */
const BITS: Readonly<Record<string, number>> = {
  float32: 32,
  uint8: 8,
  int8: 8,
  uint16: 16,
  int16: 16,
  int32: 32,
  int64: 64,
  bool: 8,
  float16: 16,
  float64: 64,
  uint32: 32,
  uint64: 64,
  complex64: 64,
  complex128: 128,
  bfloat16: 16,
  float8e4m3fn: 8,
  float8e4m3fnuz: 8,
  float8e5m2: 8,
  float8e5m2fnuz: 8,
  float8e8m0: 8,
  uint4: 4,
  int4: 4,
  float4e2m1: 4,
  uint2: 2,
  int2: 2,
};

/** Name of an ONNX element type, as `float32`, `int64`, `bfloat16`; `unknown-<n>` for a type newer than our schema. */
export function dtypeName(elementType: number): string {
  return NAMES[elementType] ?? D[elementType]?.toLowerCase() ?? `unknown-${elementType}`;
}

/** ONNX element type of a dtype name; `UNDEFINED` for a name that is none. */
export function elementTypeOf(dtype: string): number {
  const known = Object.values(D).filter((value): value is D => typeof value === 'number');
  return known.find((value) => dtypeName(value) === dtype) ?? D.UNDEFINED;
}

/** Bytes of one element, a fraction for packed types; 0 for strings and unknown types. */
export function elementBytes(dtype: string): number {
  return (BITS[dtype] ?? 0) / 8;
}

/** Bytes of a stored tensor by its shape, packed as ONNX packs sub-byte types; strings by their text. */
export function tensorBytes({ dataType, dims, stringData }: TensorProto): number {
  if (dataType === D.STRING) return stringData.reduce((sum, text) => sum + text.byteLength, 0);
  const count = dims.reduce((product, dim) => product * Number(dim), 1);
  return Math.ceil(elementBytes(dtypeName(dataType)) * count);
}
