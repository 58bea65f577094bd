import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import type { DoctorReport } from '../../src/report/doctor-report.ts';
import { card, fakeSmi } from '../fakes/nvidia-smi-scenario.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-doctor-'));

beforeAll(() => {
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  spawnSync(process.execPath, [join(repository, 'scripts', 'build.mjs'), join(root, 'dist')], { cwd: repository });
  writeFileSync(join(root, 'tiny.onnx'), tinyMlp());
  mkdirSync(join(root, 'tmp'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function doctor(args: readonly string[], env: NodeJS.ProcessEnv = { PATH: '/usr/bin:/bin' }) {
  return spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), 'doctor', ...args], {
    encoding: 'utf8',
    cwd: root,
    env: {
      HOME: root,
      RUNNER_TEMP: join(root, 'tmp'),
      MODEL_GATE_LOCK_DIR: join(root, 'locks'),
      MODEL_GATE_ONNXRUNTIME_PATH: join(repository, 'node_modules', 'onnxruntime-node'),
      ...env,
    },
  });
}

describe('doctor', () => {
  it('measures a model against its own copy and says what can be proven', () => {
    const ended = doctor(['tiny.onnx', '--restarts', '2', '--batch', '4', '--json']);
    const report: DoctorReport = JSON.parse(ended.stdout);
    expect(ended.status).toBe(0);
    expect(report.engine).toMatchObject({ version: '1.30.0', source: 'onnxruntime-path' });
    expect(report.trial).toMatchObject({ case: 'tiny/cpu/b4/c1', agreement: { restarts: 2 } });
    expect(report.trial).toHaveProperty('oneFeed', expect.any(Number));
    expect(report.gpu).toMatchObject({ fault: expect.stringContaining('nvidia-smi is not on PATH') });
    const faults = Object.fromEntries(report.providers.map(({ name, fault }) => [name, fault]));
    expect(faults['cpu']).toBeNull();
    expect(faults['cuda']).toContain('needs an NVIDIA GPU');
  }, 120_000);

  it('on a card whose provider cannot start says so, what to install, and ends with 2', () => {
    const smi = fakeSmi({
      cards: [card({ driver_version: '535.1.1' })],
      apps: [{ pid: '77', gpu_uuid: card()['uuid'] ?? '', used_gpu_memory: '500', process_name: 'python' }],
    });
    const ended = doctor(['tiny.onnx', '--restarts', '2', '--batch', '4'], {
      ...smi.env,
      PATH: `${smi.env['PATH']}:/usr/bin:/bin`,
    });
    smi.remove();
    expect(ended.status).toBe(2);
    expect(ended.stdout).toContain('Tesla T4, driver 535.1.1');
    expect(ended.stdout).toMatch(/1\. nothing can be measured: provider cuda cannot be created: .*install/);
    expect(ended.stdout).toContain('driver 580 or newer is needed');
    expect(ended.stdout).toContain('77 (python)');
  }, 60_000);

  it('on a model that it cannot feed names the question and ends with 2', () => {
    const model = graph({
      nodes: [node('Identity', ['x'], ['y'])],
      inputs: [valueInfo('x', 'float32', ['batch', 'length'])],
      outputs: [valueInfo('y', 'float32', ['batch', 'length'])],
    });
    writeFileSync(join(root, 'open.onnx'), modelBytes(model));
    const ended = doctor(['open.onnx']);
    expect(ended.status).toBe(2);
    expect(ended.stdout).toContain('No trial: how to feed open is not known');
  }, 60_000);

  it.each([
    ['a file that is not there', ['none.onnx']],
    ['a wrong count', ['tiny.onnx', '--restarts', 'x']],
  ])('refuses %s with 3', (_, args) => {
    expect(doctor(args).status).toBe(3);
  });
});
