import { fromBinary } from '@bufbuild/protobuf';
import { type GraphProto, type ModelProto, ModelProtoSchema } from 'onnx-buf';
import { RefusedError } from '../errors.ts';
import { parseLfsPointer } from './lfs-pointer.ts';

/** A decoded model that is known to have a graph. */
export type DecodedModel = ModelProto & { readonly graph: GraphProto };

/**
 * Decodes an ONNX file. `path` is only named in messages.
 * Throws RefusedError where the bytes are no ONNX model: pointer, page, empty, truncated, too deep, without a graph.
 */
export function decodeModel(bytes: Uint8Array, path: string): DecodedModel {
  const where = JSON.stringify(path);
  const other = describeOtherContent(bytes);
  if (other) throw new RefusedError(`model ${where} ${other}`);
  const model = decode(bytes, where);
  if (!model.graph)
    throw new RefusedError(`model ${where} has no graph: it is truncated or no ONNX model; export it again`);
  return model as DecodedModel;
}

function describeOtherContent(bytes: Uint8Array): string | null {
  if (bytes.byteLength === 0) return 'is empty: export it again or check how it was written';
  const pointer = parseLfsPointer(bytes);
  if (pointer)
    return `is a Git LFS pointer without its content (${pointer.size} bytes, sha256 ${pointer.oid.slice(0, 12)}): run "git lfs pull", or set "lfs: true" in actions/checkout`;
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 64)).trimStart().toLowerCase();
  if (start.startsWith('<!doctype') || start.startsWith('<html') || start.startsWith('<?xml'))
    return 'is a web page, not an ONNX file: the download went wrong';
  return null;
}

function decode(bytes: Uint8Array, where: string): ModelProto {
  try {
    return fromBinary(ModelProtoSchema, bytes);
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message : '';
    if (text.includes('recursion depth'))
      throw new RefusedError(
        `model ${where} nests graphs more than 100 levels deep: no real model does; export it again`,
      );
    if (text.includes('premature EOF'))
      throw new RefusedError(`model ${where} is truncated (${bytes.byteLength} bytes): copy or export it again`);
    throw new RefusedError(`model ${where} is not an ONNX file: it cannot be parsed as protobuf`);
  }
}
