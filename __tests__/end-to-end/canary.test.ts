import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { chainModel } from '../../bench/detection/chain-model.ts';
import { gateModels } from '../../src/gate-models.ts';
import { DEFAULT_CONFIG_PATH, parseGateConfig } from '../../src/inputs/config-file.ts';
import type { Measurement } from '../../src/measure/measurement.ts';
import { createMeasurer } from '../../src/measure/measurer-edge.ts';
import { readModelFile } from '../../src/model/model-edge.ts';
import { planGroups } from '../../src/plan/plan-groups.ts';
import { measurementToJson } from '../../src/run-gate.ts';
import { judge } from '../../src/verdict/judge.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { verdictToJson } from '../../src/verdict/verdict-json.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'gate-canary-'));
const workerFile = join(root, 'measure-worker.mjs');
/** So wide a margin and so large a slow-down that a busy machine changes nothing; `npm run bench:canary` is the real one. */
const MARGIN = 0.15;
const EXTRA_LAYERS = 60;
/** Fewer than the recordings have: an inference of a fifth of a millisecond. */
const ROWS = 8;
const CONFIG_TEXT = `version: 1
metrics:
  latency.p50: {margin: ${100 * MARGIN}%}
  latency.p95: {gate: false}
  memory.host.peak: {margin: ${100 * MARGIN}%}
`;
const CONFIG = parseGateConfig(CONFIG_TEXT, DEFAULT_CONFIG_PATH);

beforeAll(async () => {
  await build({
    entryPoints: {
      'measure-worker': join(repository, 'src/measure/worker-edge.ts'),
      cli: join(repository, 'src/cli-edge.ts'),
    },
    outdir: root,
    outExtension: { '.js': '.mjs' },
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
  writeFileSync(modelFile, chainModel(extraLayers, ROWS));
  return { commit: null, modelFile, ...(await readModelFile(modelFile)) };
}

interface Gated {
  readonly base: Measurement;
  readonly head: Measurement;
  readonly verdict: Verdict;
}

/** Gates a chain against one with more layers, as `measure --against` does, with shorter restarts. */
async function gateChain(extraLayers: number, session: string): Promise<Gated> {
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
      machineNotes: () => [],
      nowMs: () => Date.now(),
      toolVersion: 'test',
      signal: new AbortController().signal,
      progress: { planned: () => undefined, restart: () => undefined },
    },
  );
  const today = new Date().toISOString().slice(0, 10);
  return { base, head, verdict: judge({ base, head, config: CONFIG, today }) };
}

/** What the command that the page on deciding shows prints for these files. */
function replay({ base, head }: Omit<Gated, 'verdict'>): string {
  const page = readFileSync(join(repository, 'docs', 'how-it-decides.md'), 'utf8');
  const [, command = ''] = /`model-gate (compare [^`]+)`/.exec(page) ?? [];
  const folder = join(root, 'replay');
  mkdirSync(join(folder, dirname(DEFAULT_CONFIG_PATH)), { recursive: true });
  writeFileSync(join(folder, DEFAULT_CONFIG_PATH), CONFIG_TEXT);
  writeFileSync(join(folder, 'base.measurement.json'), measurementToJson(base));
  writeFileSync(join(folder, 'head.measurement.json'), measurementToJson(head));
  const args = [join(root, 'cli.mjs'), ...command.split(' '), '--json'];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout;
}

describe('the canary', () => {
  it('catches a planted slow-down', async () => {
    const { verdict, ...files } = await gateChain(EXTRA_LAYERS, 'planted');
    expect(verdict.outcome).toBe('fail');
    const row = verdict.rows.find(({ metric }) => metric === 'latency.p50');
    expect(row?.status).toBe('regressed');
    expect(row?.interval?.[0]).toBeGreaterThan(MARGIN);
    expect(replay(files)).toBe(verdictToJson(verdict));
  }, 300_000);

  it('passes two staged copies of one model', async () => {
    const { verdict } = await gateChain(0, 'unchanged');
    expect(verdict.rows.filter(({ role, status }) => role === 'gated' && status !== 'pass')).toEqual([]);
    expect(verdict.outcome).toBe('pass');
  }, 300_000);
});
