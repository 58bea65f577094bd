import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { median } from 'simple-statistics';
import { createMeasurer } from '../../src/measure/measurer-edge.ts';
import type { ArmSpec, CaseGroup } from '../../src/plan/plan.ts';
import { type TimedModel, writeModels } from './models.ts';
import { startOurs } from './worker-loop.ts';

const REPEATS = 7;

const [, , root = '', folder = '', workerFile = ''] = process.argv;
const runtimeDir = join(root, 'node_modules/onnxruntime-node');
const bundle = join(root, 'dist/index.js');
const [small] = writeModels(folder, []);
if (!small) throw new Error('no model was written');

console.log('| what | median | least |');
console.log('|---|--:|--:|');
report('worker started to its first timed turn (a model that loads in 1 ms)', await repeat(() => timeWorker(small)));
const { prepareMs, restartMs } = await timeMeasurer(small);
report('measurer: preparation of a small model (two primed, one empty, two profiled starts)', [prepareMs]);
report('measurer: one restart of it, both arms', restartMs);
report(
  'node alone',
  repeatSync(() => timeNode('0')),
);
report(
  'node and dist/index.js, loaded but not run',
  repeatSync(() => timeNode(`import(${JSON.stringify(bundle)})`)),
);
const code = readFileSync(bundle);
console.log(
  `\ndist/index.js: ${(code.length / 2 ** 20).toFixed(2)} MiB, gzipped ${(gzipSync(code).length / 2 ** 10).toFixed(0)} KiB`,
);

async function timeWorker(model: TimedModel): Promise<number> {
  const beganMs = performance.now();
  const ours = await startOurs(workerFile, folder, runtimeDir, model);
  await ours.time(1);
  const ms = performance.now() - beganMs;
  await ours.close();
  return ms;
}

async function timeMeasurer(model: TimedModel): Promise<{ prepareMs: number; restartMs: number[] }> {
  const measurer = createMeasurer({
    workerFile,
    stagingRoot: folder,
    seed: 'overhead',
    runtimeDir,
    environment: process.env,
    gpu: null,
  });
  const group = groupOf(model);
  const beganMs = performance.now();
  await measurer.prepare(group);
  const prepareMs = performance.now() - beganMs;
  const restartMs: number[] = [];
  for (let index = 0; index < 3; index++) {
    const startMs = performance.now();
    await measurer.restart(
      group,
      index,
      group.cases.map(({ id }) => id),
    );
    restartMs.push(performance.now() - startMs);
  }
  await measurer.finish(group);
  return { prepareMs, restartMs };
}

function groupOf(model: TimedModel): CaseGroup {
  const bytes = readFileSync(model.file);
  const arm: ArmSpec = {
    commit: null,
    modelFile: model.file,
    externalFiles: [],
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    runtimeDir: null,
    session: {},
  };
  const source = { fill: 'normal' as const };
  const feeds = [{ name: model.input, dtype: 'float32', dims: [...model.dims], arms: 'both' as const, source }];
  return {
    id: 'small/cpu',
    model: 'small',
    path: 'small.onnx',
    provider: 'cpu',
    variant: null,
    comparison: 'paired',
    base: arm,
    head: arm,
    cases: [{ id: 'small/cpu/b1/c1', batch: 1, feeds, workload: '0' }],
    fetch: 'smallest',
    pool: null,
    unchanged: false,
    notes: [],
  };
}

/** The door runs only as the action's main module with its environment; imported without one it fails fast. */
function timeNode(script: string): number {
  const beganMs = performance.now();
  spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
  return performance.now() - beganMs;
}

async function repeat(time: () => Promise<number>): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < REPEATS; i++) times.push(await time());
  return times;
}

function repeatSync(time: () => number): number[] {
  return Array.from({ length: REPEATS }, time);
}

function report(what: string, times: readonly number[]): void {
  console.log(`| ${what} | ${Math.round(median([...times]))} ms | ${Math.round(Math.min(...times))} ms |`);
}
