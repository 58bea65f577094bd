import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { inputsOf } from '../../src/measure/pool-file.ts';
import { storePool } from '../../src/measure/pool-file-edge.ts';
import { type ProfiledKernel, readProfileLine } from '../../src/measure/profile.ts';
import { compareCoverage } from '../../src/measure/provider-coverage.ts';
import { tryProvider } from '../../src/measure/provider-edge.ts';
import { engineOptions } from '../../src/measure/session-options.ts';
import { workerEnvironment } from '../../src/measure/worker-environment.ts';
import { startWorker } from '../../src/measure/worker-process-edge.ts';
import { graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { softwareVulkan } from '../fakes/swiftshader.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const runtimeDir = join(repository, 'node_modules', 'onnxruntime-node');
const root = mkdtempSync(join(tmpdir(), 'gate-provider-'));
const workerFile = join(root, 'worker.mjs');
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

/** A machine without any GPU driver: only what the test gives. */
const attempt = (provider: string, environment: Record<string, string> = {}) =>
  tryProvider({
    provider,
    session: {},
    runtimeDir,
    workerFile,
    environment: { HOME: root, ...environment },
    device: {},
  });

describe('trying a provider', () => {
  it('cpu works and tells the engine', async () => {
    expect(await attempt('cpu')).toMatchObject({ version: '1.30.0', backends: expect.arrayContaining(['cpu']) });
  });

  it('webgpu works on a software Vulkan driver', async () => {
    expect((await attempt('webgpu', vulkan)).backends).toContain('webgpu');
  });

  it('webgpu without a Vulkan device is no verdict, not a CPU run', async () => {
    await expect(attempt('webgpu', { VK_ICD_FILENAMES: join(root, 'none.json') })).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringMatching(/^provider webgpu cannot be created: .*Vulkan/),
    });
  });

  it.each(['cuda', 'tensorrt'])('%s without its library is no verdict, with what installs it', async (provider) => {
    await expect(attempt(provider)).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringContaining(`node ${runtimeDir}/script/install.js --onnxruntime-node-install`),
    });
  });

  it('a name of another language is refused', async () => {
    await expect(attempt('CUDAExecutionProvider')).rejects.toMatchObject({ name: 'RefusedError' });
  });
});

describe('operators that fall back from a real GPU provider', () => {
  it('are named, with the copies they cost', async () => {
    const base = await profile('base', ['Relu', 'Relu', 'Relu']);
    const head = await profile('head', ['Relu', 'Hardmax', 'Relu']);
    const coverage = compareCoverage('webgpu', base, head);
    expect(coverage.base).toBe(1);
    expect(coverage.head).toBeLessThan(1);
    expect(coverage.newlyOutside).toEqual(['Hardmax', 'MemcpyFromHost', 'MemcpyToHost']);
  });
});

/** Kernels of a chain of operators on webgpu, profiled in a worker. */
async function profile(name: string, operators: readonly string[]): Promise<ProfiledKernel[]> {
  const directory = join(root, name);
  mkdirSync(directory);
  const modelFile = join(directory, 'model.onnx');
  const dims = [256, 256];
  const nodes = operators.map((operator, i) =>
    node(operator, [i === 0 ? 'x' : `h${i}`], [i === operators.length - 1 ? 'y' : `h${i + 1}`]),
  );
  const ends = { inputs: [valueInfo('x', 'float32', dims)], outputs: [valueInfo('y', 'float32', dims)] };
  writeFileSync(modelFile, modelBytes(graph({ nodes, ...ends })));
  const environment = workerEnvironment({ HOME: root, ...vulkan }, {});
  const worker = startWorker({ workerFile, environment, directory, launcher: [], arm: 'head', signal: undefined });
  const profilePrefix = join(directory, 'profile');
  const options = engineOptions({}, { provider: 'webgpu', threads: 1, spinning: 'engine-default', profilePrefix });
  const feeds = [{ name: 'x', dtype: 'float32', dims, arms: 'both' as const, source: {} }];
  const spec = { id: 'chain', batch: 1, workload: '', feeds };
  const pool = await storePool(spec, 1, join(directory, 'pool.bin'), directory);
  const inputs = inputsOf(pool.layout, 'head');
  try {
    await worker.request({ do: 'open', runtimeDir }, 30_000);
    await worker.request({ do: 'load', slot: 'head', modelFile, options }, 60_000);
    await worker.request({ do: 'feed', pool: 'p', file: pool.file, inputs, size: 1 }, 30_000);
    await worker.request({ do: 'chunk', slot: 'head', pool: 'p', fetch: ['y'], iterations: 2 }, 60_000);
    await worker.request({ do: 'unload', slot: 'head' }, 30_000);
  } finally {
    await worker.close();
  }
  const file = readdirSync(directory).find((entry) => entry.startsWith('profile'));
  const lines = readFileSync(join(directory, file ?? ''), 'utf8').split('\n');
  return lines.map(readProfileLine).filter((kernel) => kernel !== null);
}
