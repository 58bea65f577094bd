import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { referenceWorkload } from '../../src/baseline/reference-workload.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex').slice(0, 16);

describe('reference workload', () => {
  it.each([
    ['cpu', 'dce0aaeb8a647523'],
    ['cuda', 'f2b9bf4da0624f04'],
    ['tensorrt', 'f2b9bf4da0624f04'],
  ])('has the same bytes for ever on %s: a change needs a new definition, or stored ratios lie', (provider, digest) => {
    const { bytes, definition } = referenceWorkload(provider);
    expect([definition, sha256(bytes)]).toEqual(['reference-mlp@1', digest]);
  });

  it('runs in the real engine with activations that neither vanish nor explode', () => {
    const { bytes, input } = referenceWorkload('cpu');
    const folder = mkdtempSync(join(tmpdir(), 'model-gate-reference-'));
    try {
      writeFileSync(join(folder, 'reference.onnx'), bytes);
      const script = `
        import * as ort from 'onnxruntime-node';
        const session = await ort.InferenceSession.create(process.argv[1]);
        const x = Float32Array.from({ length: ${input.dims[0] * input.dims[1]} }, (_, i) => Math.sin(i));
        const { y } = await session.run({ x: new ort.Tensor('float32', x, ${JSON.stringify(input.dims)}) });
        console.log(JSON.stringify({ dims: y.dims, mean: y.data.reduce((a, b) => a + Math.abs(b), 0) / y.data.length }));`;
      const run = spawnSync(process.execPath, ['--input-type=module', '-e', script, join(folder, 'reference.onnx')], {
        encoding: 'utf8',
        env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
      });
      expect(run.stderr).toBe('');
      const { dims, mean } = JSON.parse(run.stdout) as { dims: number[]; mean: number };
      expect(dims).toEqual([...input.dims]);
      expect(mean).toBeGreaterThan(0.05);
      expect(mean).toBeLessThan(5);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
