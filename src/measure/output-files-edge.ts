import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tensor } from 'onnxruntime-node';
import type { OutputTensor } from './worker-protocol.ts';

/** Writes each output's elements to a file of its own in `directory`, raw; strings as JSON. */
export function writeOutputs(
  directory: string,
  outputs: readonly (readonly [string, Tensor | undefined])[],
): OutputTensor[] {
  return outputs.flatMap(([name, tensor], position) => {
    if (!tensor) return [];
    const file = `${position}.bin`;
    const { data } = tensor;
    writeFileSync(
      join(directory, file),
      ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : JSON.stringify(data),
    );
    return [{ name, dtype: tensor.type, dims: [...tensor.dims], file }];
  });
}

/** A new folder for one arm's outputs. */
export function makeOutputFolder(directory: string): string {
  return mkdtempSync(join(directory, 'outputs-'));
}

/** Bytes of one output as written by `writeOutputs`. */
export function readOutput(directory: string, output: OutputTensor): Uint8Array {
  return readFileSync(join(directory, output.file));
}
