import type { OutputValues } from './output-difference.ts';

type NumberReader = { readonly bytes: number; readonly read: (view: DataView, offset: number) => number };

const READERS: Readonly<Record<string, NumberReader>> = {
  float32: { bytes: 4, read: (view, offset) => view.getFloat32(offset, true) },
  float64: { bytes: 8, read: (view, offset) => view.getFloat64(offset, true) },
  float16: { bytes: 2, read: (view, offset) => halfToNumber(view.getUint16(offset, true)) },
  int8: { bytes: 1, read: (view, offset) => view.getInt8(offset) },
  uint8: { bytes: 1, read: (view, offset) => view.getUint8(offset) },
  bool: { bytes: 1, read: (view, offset) => view.getUint8(offset) },
  int16: { bytes: 2, read: (view, offset) => view.getInt16(offset, true) },
  uint16: { bytes: 2, read: (view, offset) => view.getUint16(offset, true) },
  int32: { bytes: 4, read: (view, offset) => view.getInt32(offset, true) },
  uint32: { bytes: 4, read: (view, offset) => view.getUint32(offset, true) },
  int64: { bytes: 8, read: (view, offset) => Number(view.getBigInt64(offset, true)) },
  uint64: { bytes: 8, read: (view, offset) => Number(view.getBigUint64(offset, true)) },
};

/** Elements of a raw little-endian tensor; strings are a JSON list. 64-bit integers lose digits beyond 2^53. */
export function readElements(dtype: string, bytes: Uint8Array): OutputValues['elements'] {
  if (dtype === 'string') return JSON.parse(new TextDecoder().decode(bytes)) as string[];
  const reader = READERS[dtype];
  if (!reader) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const elements = new Float64Array(Math.floor(bytes.byteLength / reader.bytes));
  for (let i = 0; i < elements.length; i++) elements[i] = reader.read(view, i * reader.bytes);
  return elements;
}

/** Value of an IEEE 754 half. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}
