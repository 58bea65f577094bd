// node bench/canary/run.mjs [--count 20] [--out bench/canary]   plants 10 % slow-downs into a real model, and A/A, with
// the built command; writes results.md there, and into docs/how-it-decides.md where it is the default place.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = here('../..');
const folder = mkdtempSync(join(tmpdir(), 'model-gate-canary-build-'));
const node = (...args) => spawnSync(process.execPath, args, { stdio: 'inherit', cwd: root }).status ?? 1;
try {
  const outfile = join(folder, 'canary.mjs');
  buildSync({ entryPoints: [here('./canary.ts')], bundle: true, platform: 'node', format: 'esm', outfile });
  const dist = join(folder, 'dist');
  const engine = here('../../node_modules/onnxruntime-node');
  const options = process.argv.slice(2);
  process.exitCode =
    node('scripts/build.mjs', dist) || node(outfile, '--cli', join(dist, 'cli.js'), '--engine', engine, ...options);
  if (!options.some((option) => option.startsWith('--out'))) node('bench/detection/run.mjs', 'page');
} finally {
  rmSync(folder, { recursive: true });
}
