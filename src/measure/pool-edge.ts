import { closeSync, openSync, readSync } from 'node:fs';
import type { Feeds } from './engine-edge.ts';
import { toTensorLike } from './feed-fill.ts';
import { type PooledInput, viewFeed } from './pool-file.ts';

/** Feeds of a pool's file as tensors, and the bytes they hold. */
export function readPool(
  file: string,
  inputs: readonly PooledInput[],
  size: number,
): { feeds: Feeds[]; bytes: number } {
  const regions = inputs.map((input) => readRegion(file, input.offset, input.bytesPerFeed * size));
  const feeds = Array.from({ length: size }, (_, position) =>
    Object.fromEntries(
      inputs.map((input, i) => {
        const data = viewFeed(input, regions[i] ?? new ArrayBuffer(0), position);
        return [input.name, toTensorLike({ dtype: input.dtype, dims: input.dims, data })];
      }),
    ),
  );
  return { feeds, bytes: regions.reduce((sum, region) => sum + region.byteLength, 0) };
}

/** Bytes outside the engine's and V8's heaps, so that a pool adds its own size to the process and nothing else. */
function readRegion(file: string, offset: number, bytes: number): ArrayBuffer {
  const region = new ArrayBuffer(bytes);
  const source = openSync(file, 'r');
  try {
    for (let filled = 0; filled < bytes; ) {
      const read = readSync(source, new Uint8Array(region), filled, bytes - filled, offset + filled);
      if (read === 0) throw new Error('the file of feeds ends too soon');
      filled += read;
    }
  } finally {
    closeSync(source);
  }
  return region;
}
