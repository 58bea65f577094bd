import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { chainModel } from '../../bench/detection/chain-model.ts';
import { gateModels } from '../../src/gate-models.ts';
import type { GateConfig } from '../../src/inputs/gate-config.ts';
import { createMeasurer } from '../../src/measure/measurer-edge.ts';
import { readModelFile } from '../../src/model/model-edge.ts';
import { planGroups } from '../../src/plan/plan-groups.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-canary-'));
const workerFile = join(root, 'measure-worker.mjs');
/** So wide a margin and so large a slow-down that a busy machine changes nothing; `npm run bench:canary` is the real one. */
const MARGIN = 0.15;
const EXTRA_LAYERS = 60;
const CONFIG: GateConfig = {
  version: 1,
  metrics: {
    'latency.p50': { margin: MARGIN },
    'latency.p95': { gate: false },
    'memory.host.peak': { margin: MARGIN },
  },
};

beforeAll(async () => {
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

async function armOf(folder: string, extraLayers: number) {
  mkdirSync(join(root, folder), { recursive: true });
  const modelFile = join(root, folder, 'chain.onnx');
  writeFileSync(modelFile, chainModel(extraLayers));
  return { commit: null, modelFile, ...(await readModelFile(modelFile)) };
}

/** Gates a chain against one with more layers, as `measure --against` does, with shorter restarts. */
async function gateChain(extraLayers: number, session: string): Promise<Verdict> {
  const model = { id: 'chain', path: 'chain.onnx', session: { threads: 1 } } as const;
  const { groups } = planGroups(
    {
      id: 'chain',
      path: 'chain.onnx',
      base: await armOf('base', 0),
      head: await armOf('head', extraLayers),
      baseConfig: model,
      headConfig: model,
      comparison: 'paired',
      feedFiles: {},
      notes: [],
    },
    { defaultProvider: 'cpu', equalArms: 'measure' },
  );
  const measurer = createMeasurer({
    workerFile,
    stagingRoot: mkdtempSync(join(root, 'staging-')),
    seed: session,
    runtimeDir: join(repository, 'node_modules', 'onnxruntime-node'),
    environment: { HOME: root },
    gpu: null,
    effort: { chunkMs: 5, warmUpMs: 50 },
  });
  const { base, head } = await gateModels(
    {
      groups,
      faults: [],
      config: CONFIG,
      environment: { class: 'c', facts: {} },
      session,
      notes: [],
      commits: { base: null, head: null },
      failFast: 'judge-all',
    },
    {
      measurer,
      nowMs: () => Date.now(),
      toolVersion: 'test',
      signal: new AbortController().signal,
      progress: { planned: () => undefined, restart: () => undefined },
    },
  );
  return judge({ base, head, config: CONFIG, today: '2026-12-01' });
}

describe('the canary', () => {
  it.each(['first', 'second'])(
    'catches a planted slow-down (%s)',
    async (session) => {
      const verdict = await gateChain(EXTRA_LAYERS, session);
      expect(verdict.outcome).toBe('fail');
      const row = verdict.rows.find(({ metric }) => metric === 'latency.p50');
      expect(row?.status).toBe('regressed');
      expect(row?.interval?.[0]).toBeGreaterThan(MARGIN);
    },
    300_000,
  );

  it.each(['first', 'second'])(
    'passes two staged copies of one model (%s)',
    async (session) => {
      const verdict = await gateChain(0, session);
      expect(verdict.rows.filter(({ role, status }) => role === 'gated' && status !== 'pass')).toEqual([]);
      expect(verdict.outcome).toBe('pass');
    },
    300_000,
  );
});
