import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { softwareVulkan } from '../fakes/swiftshader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-cli-webgpu-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const model = (name: string) => join(repository, 'bench', 'gpu', 'models', `small-${name}.onnx`);

describe('measure on webgpu', () => {
  it('shows in the report which operator of head fell back to the CPU', () => {
    writeFileSync(join(root, 'package.json'), '{"type":"module"}');
    spawnSync(process.execPath, [join(repository, 'scripts', 'build.mjs'), join(root, 'dist')], { cwd: repository });
    const ended = spawnSync(
      process.execPath,
      [
        ...[join(root, 'dist', 'cli.js'), 'measure', model('fallback'), '--against', model('nothing')],
        ...['--provider', 'webgpu', '--restarts', '1', '--json'],
      ],
      {
        encoding: 'utf8',
        cwd: root,
        env: {
          ...process.env,
          ...softwareVulkan(join(root, 'vulkan')),
          MODEL_GATE_ONNXRUNTIME_PATH: join(repository, 'node_modules', 'onnxruntime-node'),
        },
      },
    );
    const verdict: Verdict = JSON.parse(ended.stdout);
    expect(verdict.rows.find(({ metric }) => metric === 'ep.coverage')).toMatchObject({ status: 'regressed', base: 1 });
    expect(verdict.rows.filter(({ metric }) => metric === 'run')).toEqual([]);
    const notes = verdict.notes.map(({ text }) => text).join('\n');
    expect(notes).toContain('newly outside webgpu: MemcpyFromHost, MemcpyToHost (copies around Hardmax)');
    expect(notes).toContain('no NVIDIA GPU is watched');
    expect(ended.status).toBe(0);
  }, 180_000);
});
