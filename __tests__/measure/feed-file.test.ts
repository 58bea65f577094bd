import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { zipSync } from 'fflate';
import { dump } from 'npyjs';
import { readFeedFile } from '../../src/measure/feed-file.ts';
import { loadFeedFile } from '../../src/measure/feed-file-edge.ts';

/** A file as numpy.save writes it (format 1.0: the header padded to 64 bytes). */
function npy(descr: string, shape: readonly number[], bytes: Uint8Array, fortran = false): Uint8Array {
  const tuple = shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
  const dict = `{'descr': ${descr}, 'fortran_order': ${fortran ? 'True' : 'False'}, 'shape': ${tuple}, }`;
  const header = `${dict.padEnd(64 * Math.ceil((dict.length + 11) / 64) - 11)}\n`;
  const length = Uint8Array.of(header.length & 255, header.length >> 8);
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00', 'latin1'), length, Buffer.from(header), bytes]);
}

function raw(data: ArrayBufferView): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

describe('readFeedFile', () => {
  it.each<[string, ArrayBufferView, string]>([
    ["'<f4'", Float32Array.of(0.5, -1, 2, 3, 4, 5), 'float32'],
    ["'<f8'", Float64Array.of(0.5, -1, 2, 3, 4, 5), 'float64'],
    ["'<f2'", Uint16Array.of(0x3800, 0xbc00, 0, 1, 2, 3), 'float16'],
    ["'<i8'", BigInt64Array.of(1n, -2n, 2n ** 60n, 0n, 1n, 2n), 'int64'],
    ["'<u8'", BigUint64Array.of(1n, 2n, 2n ** 63n, 0n, 1n, 2n), 'uint64'],
    ["'<i4'", Int32Array.of(1, -2, 3, 4, 5, 6), 'int32'],
    ["'<u4'", Uint32Array.of(1, 2, 3, 4, 5, 6), 'uint32'],
    ["'<i2'", Int16Array.of(1, -2, 3, 4, 5, 6), 'int16'],
    ["'<u2'", Uint16Array.of(1, 2, 3, 4, 5, 6), 'uint16'],
    ["'|i1'", Int8Array.of(1, -2, 3, 4, 5, 6), 'int8'],
    ["'|u1'", Uint8Array.of(1, 2, 3, 4, 5, 6), 'uint8'],
    ["'|b1'", Uint8Array.of(1, 0, 1, 1, 0, 0), 'bool'],
  ])('reads %s arrays', (descr, data, dtype) => {
    expect(readFeedFile(npy(descr, [2, 3], raw(data)), 'x.npy')).toEqual({ dtype, dims: [2, 3], data });
  });

  it('reads scalars, vectors and what npyjs writes', () => {
    expect(readFeedFile(npy("'<f4'", [], raw(Float32Array.of(7))), 'x.npy')).toEqual({
      dtype: 'float32',
      dims: [],
      data: Float32Array.of(7),
    });
    expect(readFeedFile(new Uint8Array(dump(Int32Array.of(1, 2, 3))), 'x.npy')).toMatchObject({
      dtype: 'int32',
      dims: [3],
    });
  });

  it('puts Fortran order into C order', () => {
    const columns = Int32Array.from({ length: 24 }, (_, i) => i);
    const { data, dims } = readFeedFile(npy("'<i4'", [2, 3, 4], raw(columns), true), 'x.npy');
    const expected = [0, 1].flatMap((i) => [0, 1, 2].flatMap((j) => [0, 1, 2, 3].map((k) => i + 2 * j + 6 * k)));
    expect(dims).toEqual([2, 3, 4]);
    expect([...data]).toEqual(expected);
  });

  it('reads an array of an .npz by its key', () => {
    const zip = zipSync({
      'a.npy': npy("'<f4'", [1], raw(Float32Array.of(1))),
      'b.npy': npy("'<f4'", [1], raw(Float32Array.of(2))),
    });
    expect(readFeedFile(zip, 'x.npz', 'b').data).toEqual(Float32Array.of(2));
    expect(() => readFeedFile(zip, 'x.npz')).toThrow('holds the arrays "a", "b": name one as "key"');
    expect(() => readFeedFile(zip, 'x.npz', 'c')).toThrow('name one as "key", not "c"');
    expect(() => readFeedFile(zip.subarray(0, 60), 'x.npz', 'a')).toThrow('damaged .npz');
  });

  it.each<[string, Uint8Array, string | undefined, string]>([
    ['big-endian numbers', npy("'>f4'", [1], new Uint8Array(4)), undefined, 'little-endian'],
    ['complex numbers', npy("'<c8'", [1], new Uint8Array(8)), undefined, 'elements of the kind "c8"'],
    ['text', npy("'<U2'", [1], new Uint8Array(8)), undefined, 'elements of the kind "U2"'],
    ['objects', npy("'|O'", [1], new Uint8Array(8)), undefined, 'little-endian'],
    ['records', npy("[('a', '<f4')]", [1], new Uint8Array(4)), undefined, 'little-endian'],
    ['missing data', npy("'<f4'", [3], new Uint8Array(8)), undefined, 'it has 2 elements, its shape 3'],
    ['data cut within an element', npy("'<f4'", [3], new Uint8Array(7)), undefined, 'little-endian'],
    ['another format', Buffer.from('a,b\n1,2\n'), undefined, 'numpy.save'],
    ['an empty file', new Uint8Array(), undefined, 'numpy.save'],
    ['a key without an .npz', npy("'<f4'", [1], new Uint8Array(4)), 'a', 'leave out "key"'],
  ])('refuses %s in one line', (_, bytes, key, message) => {
    expect(() => readFeedFile(bytes, 'in\nput.npy', key)).toThrow(
      expect.objectContaining({
        name: 'RefusedError',
        message: expect.stringMatching(/^input file "in\\nput\.npy".*$/),
      }),
    );
    expect(() => readFeedFile(bytes, 'x.npy', key)).toThrow(message);
  });
});

describe('loadFeedFile', () => {
  it('gives the feed, and what planning must know', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'feed-file-'));
    try {
      writeFileSync(join(folder, 'x.npy'), npy("'<f4'", [1], raw(Float32Array.of(1))));
      const { feed, facts } = await loadFeedFile(join(folder, 'x.npy'));
      expect(feed).toEqual({ dtype: 'float32', dims: [1], data: Float32Array.of(1) });
      expect(facts).toEqual({ dtype: 'float32', dims: [1], sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
      await expect(loadFeedFile(join(folder, 'none.npy'), undefined, 'none.npy')).rejects.toThrow(
        'input file "none.npy" cannot be read',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
