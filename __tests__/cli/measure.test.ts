import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { configFor, configOf } from '../../src/cli/local-model-edge.ts';
import type { GateConfig } from '../../src/inputs/gate-config.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-cli-measure-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const POLICY = { metrics: { 'latency.p50': { margin: 0.02 } } };
const CONFIG: GateConfig = {
  version: 1,
  models: [
    { path: 'models/det*.onnx', dims: { width: 64 } },
    {
      id: 'ranker',
      path: 'models/ranker.onnx',
      dims: { seq: 8 },
      cases: { 'ranker/cpu/b1/c1': POLICY, 'ranker/cpu/b32/c1': POLICY },
    },
  ],
};

describe('the config of a model that `measure` is given', () => {
  it.each([
    ['by its path', 'models/ranker.onnx', { id: 'ranker', dims: { seq: 8 } }],
    ['by its id', 'elsewhere/ranker.onnx', { id: 'ranker', dims: { seq: 8 } }],
    ['by a glob', 'models/det-v4.onnx', { dims: { width: 64 } }],
  ])('is found %s', (_, path, expected) => {
    expect(configOf(CONFIG, path, {})).toMatchObject(expected);
  });

  it('holds no policy of cases that are not measured', () => {
    const judged = configFor(CONFIG, configOf(CONFIG, 'models/ranker.onnx', {}), ['ranker/cpu/b1/c1']);
    expect(judged.models).toMatchObject([{ id: 'ranker', cases: { 'ranker/cpu/b1/c1': POLICY } }]);
    expect(Object.keys(judged.models?.[0]?.cases ?? {})).toEqual(['ranker/cpu/b1/c1']);
  });

  it('is read from the folder it runs in', () => {
    mkdirSync(join(root, '.github'));
    writeFileSync(join(root, 'package.json'), '{"type":"module"}');
    writeFileSync(join(root, '.github', 'model-gate.yml'), 'version: 1\nmodls: []\n');
    spawnSync(process.execPath, [join(repository, 'scripts', 'build.mjs'), join(root, 'dist')], { cwd: repository });
    const ended = spawnSync(process.execPath, [join(root, 'dist', 'cli.js'), 'measure', 'a.onnx'], {
      encoding: 'utf8',
      cwd: root,
    });
    expect(ended.stderr).toMatch(/model-gate\.yml:2:1: modls: unknown key "modls": did you mean "models"\?/);
    expect(ended.status).toBe(3);
  });
});
