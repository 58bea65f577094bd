// node bench/detection/record.mjs [CYCLES]   records bench/traces anew on this machine (20 minutes for 30 cycles when idle);
// then: npm run bench:detection
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'model-gate-record-'));
try {
  buildSync({
    entryPoints: { record: here('./record-traces.ts'), worker: here('../../src/measure/worker-edge.ts') },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node'],
    banner: { js: "import { createRequire as c } from 'node:module';\nconst require = c(import.meta.url);" },
  });
  const engine = here('../../node_modules/onnxruntime-node');
  const target = process.env.TRACES ?? here('../traces');
  const job = [join(folder, 'record.mjs'), join(folder, 'worker.mjs'), engine, target, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, job, { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
