import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readModelFile } from '../../src/model/model-edge.ts';
import { embeddingModel } from '../fakes/tiny-models.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'model-edge-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function writeEmbedding(name: string, table: Uint8Array): string {
  const { bytes } = embeddingModel({ tables: 1, rows: 4, width: 2, location: `${name}.bin` });
  writeFileSync(join(folder, `${name}.bin`), table);
  writeFileSync(join(folder, `${name}.onnx`), bytes);
  return join(folder, `${name}.onnx`);
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

describe('readModelFile', () => {
  it('gives a model without external data the digest that sha256sum prints', async () => {
    const path = 'node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx';
    expect(await readModelFile(path)).toMatchObject({
      sha256: '1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3',
      bytes: 2327524,
      externalFiles: [],
    });
  });

  it('covers external data with size and digest, wherever the folder is', async () => {
    const first = await readModelFile(writeEmbedding('a', new Uint8Array(32)));
    const same = await readModelFile(join(folder, 'a.onnx'), 'other name');
    writeFileSync(join(folder, 'a.bin'), new Uint8Array(32).fill(1));
    const changed = await readModelFile(join(folder, 'a.onnx'));
    expect(first.externalFiles).toEqual(['a.bin']);
    expect(same.sha256).toBe(first.sha256);
    expect(changed.sha256).not.toBe(first.sha256);
    expect(first.bytes).toBeGreaterThan(32);
    const lines = `${sha256(readFileSync(join(folder, 'a.onnx')))}  model\n${sha256(new Uint8Array(32))}  a.bin\n`;
    expect(first.sha256).toBe(sha256(lines));
  });

  it('says that external data is missing, too short or outside the folder', async () => {
    const short = writeEmbedding('short', new Uint8Array(31));
    await expect(readModelFile(short, 'm.onnx')).rejects.toThrow(
      'external data file "short.bin" has 31 bytes but the model needs 32',
    );
    const missing = writeEmbedding('missing', new Uint8Array(32));
    rmSync(join(folder, 'missing.bin'));
    await expect(readModelFile(missing, 'm.onnx')).rejects.toThrow(
      'model "m.onnx": its external data file "missing.bin" is missing',
    );
    symlinkSync('/etc/hosts', join(folder, 'missing.bin'));
    await expect(readModelFile(missing, 'm.onnx')).rejects.toThrow('leads outside');
  });

  it('refuses missing files, folders and files beyond what protobuf can hold', async () => {
    await expect(readModelFile(join(folder, 'none.onnx'))).rejects.toThrow('does not exist');
    await expect(readModelFile(folder)).rejects.toThrow('is no file');
    const huge = join(folder, 'huge.onnx');
    writeFileSync(huge, '');
    truncateSync(huge, 2 ** 31);
    await expect(readModelFile(huge)).rejects.toThrow('over 2 GiB');
  });
});
