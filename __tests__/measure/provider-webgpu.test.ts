import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { createMeasurer } from '../../src/measure/measurer-edge.ts';
import { graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import type { ArmSpec, CaseGroup } from '../../src/plan/plan.ts';
import { softwareVulkan } from '../fakes/swiftshader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-webgpu-'));
const workerFile = join(root, 'worker.mjs');
const DIMS = [256, 256];
let vulkan: Record<string, string>;

beforeAll(async () => {
  vulkan = softwareVulkan(join(root, 'vulkan'));
  await build({
    entryPoints: [join(repository, 'src/measure/worker-edge.ts')],
    outfile: workerFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node'],
    banner: { js: "import { createRequire as c } from 'node:module';\nconst require = c(import.meta.url);" },
    logLevel: 'error',
  });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function arm(name: string, operators: readonly string[]): ArmSpec {
  const nodes = operators.map((operator, i) =>
    node(operator, [i === 0 ? 'x' : `h${i}`], [i === operators.length - 1 ? 'y' : `h${i + 1}`]),
  );
  const ends = { inputs: [valueInfo('x', 'float32', DIMS)], outputs: [valueInfo('y', 'float32', DIMS)] };
  const bytes = modelBytes(graph({ nodes, ...ends }));
  const modelFile = join(root, `${name}.onnx`);
  writeFileSync(modelFile, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    commit: null,
    modelFile,
    externalFiles: [],
    sha256,
    bytes: bytes.length,
    runtimeDir: null,
    session: { threads: 1 },
  };
}

function group(base: ArmSpec, head: ArmSpec): CaseGroup {
  const source = { fill: 'normal' as const, seed: 1 };
  const feeds = [{ name: 'x', dtype: 'float32', dims: DIMS, arms: 'both' as const, source }];
  return {
    id: 'chain/webgpu',
    model: 'chain',
    path: 'chain.onnx',
    provider: 'webgpu',
    variant: null,
    comparison: 'paired',
    base,
    head,
    cases: [{ id: 'chain/webgpu/b1/c1', batch: 1, feeds, workload: '0123456789abcdef' }],
    fetch: 'all',
    pool: 2,
    unchanged: false,
    notes: [],
  };
}

describe('base against head on a GPU provider', () => {
  it('measures both arms, and finds the operator that fell back', async () => {
    const stagingRoot = join(root, 'staging');
    mkdirSync(stagingRoot);
    const measurer = createMeasurer({
      workerFile,
      stagingRoot,
      seed: 'seed',
      runtimeDir: join(repository, 'node_modules', 'onnxruntime-node'),
      environment: { HOME: root, ...vulkan },
      gpu: null,
      effort: { rounds: 4, chunkMs: 5, chunkIterations: 3, warmUpMs: 50 },
    });
    const base = arm('base', ['Relu', 'Neg', 'Relu']);
    const head = arm('head', ['Relu', 'Neg', 'Hardmax', ...Array(40).fill('Neg'), 'Relu']);
    const work = group(base, head);
    const preparation = await measurer.prepare(work);
    expect(preparation.fault).toBeNull();
    const plain = preparation.plain['chain/webgpu/b1/c1'];
    expect(plain?.base?.['ep.coverage']).toBe(1);
    expect(plain?.head['ep.coverage']).toBeLessThan(1);
    expect(preparation.notes.map(({ text }) => text).join()).toContain('Hardmax');
    const { pairs, fault } = await measurer.restart(work, 0, ['chain/webgpu/b1/c1']);
    await measurer.finish(work);
    expect(fault).toBeNull();
    const pair = pairs['chain/webgpu/b1/c1'];
    expect(pair?.base?.valid).toBe(true);
    expect(pair?.head.values['latency.p50']).toBeGreaterThan(pair?.base?.values['latency.p50'] ?? Number.NaN);
  }, 120_000);
});
