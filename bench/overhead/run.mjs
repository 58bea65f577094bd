// node bench/overhead/run.mjs            our timing loop against a C loop, by model size
// node bench/overhead/run.mjs starts     time to the first timed turn, size and load time of dist/index.js
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const [task = 'loops'] = process.argv.slice(2);
const program = { loops: 'compare-loops', starts: 'time-starts' }[task];
const folder = mkdtempSync(join(tmpdir(), 'model-gate-overhead-'));

function bundle(source, name) {
  const outfile = join(folder, name);
  buildSync({
    entryPoints: [join(root, source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node'],
    banner: { js: "import { createRequire as c } from 'node:module';\nconst require = c(import.meta.url);" },
  });
  return outfile;
}

try {
  if (!program) throw new Error(`unknown task ${task}: say loops or starts`);
  const main = bundle(`bench/overhead/${program}.ts`, 'main.mjs');
  const worker = bundle('src/measure/worker-edge.ts', 'worker.mjs');
  const binding = bundle('bench/overhead/binding-loop.ts', 'binding.mjs');
  process.exitCode =
    spawnSync(process.execPath, [main, root, folder, worker, binding], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
