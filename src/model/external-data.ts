import { posix } from 'node:path';
import { type TensorProto, TensorProto_DataLocation } from 'onnx-buf';
import { RefusedError } from '../errors.ts';
import { tensorBytes } from './onnx-dtypes.ts';

/** Where a tensor's bytes lie outside the model file. */
export interface ExternalData {
  /** Path relative to the model's folder, normalised, with forward slashes. */
  readonly location: string;
  readonly offset: number;
  /** Bytes; where the model does not say, those of the tensor's shape. */
  readonly length: number;
}

/** External data of a tensor, or null. Throws RefusedError for a place outside the model's folder or a wrong number. */
export function externalDataOf(tensor: TensorProto, path: string): ExternalData | null {
  if (tensor.dataLocation !== TensorProto_DataLocation.EXTERNAL) return null;
  const where = `model ${JSON.stringify(path)}: external data of tensor ${JSON.stringify(tensor.name)}`;
  const entries = new Map(tensor.externalData.map(({ key, value }) => [key, value]));
  return {
    location: checkLocation(entries.get('location') ?? '', where),
    offset: readCount(entries.get('offset') ?? '0', 'offset', where),
    length: readCount(entries.get('length') ?? String(tensorBytes(tensor)), 'length', where),
  };
}

/** Bytes each external file must at least have, by location. */
export function neededBytesByFile(externals: readonly ExternalData[]): ReadonlyMap<string, number> {
  const needed = new Map<string, number>();
  for (const { location, offset, length } of externals)
    needed.set(location, Math.max(needed.get(location) ?? 0, offset + length));
  return needed;
}

function checkLocation(location: string, where: string): string {
  const normal = posix.normalize(location.replaceAll('\\', '/'));
  const isAbsolute = normal.startsWith('/') || /^[A-Za-z]:/.test(normal);
  if (location === '' || normal === '.' || normal.includes('\0'))
    throw new RefusedError(`${where} names no file; export the model again`);
  if (isAbsolute || normal === '..' || normal.startsWith('../'))
    throw new RefusedError(
      `${where} lies outside the model's folder (${JSON.stringify(location)}): use a relative path beside the model`,
    );
  return normal;
}

function readCount(text: string, what: string, where: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(count)) return count;
  throw new RefusedError(
    `${where} has the ${what} ${JSON.stringify(text)}, which is no number of bytes; export the model again`,
  );
}
