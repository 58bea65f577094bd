// node bench/baseline/run.mjs store    size of 1,000 commits × 30 metrics; read time by number of models and sessions
// node bench/baseline/run.mjs creep    ten accepted steps of +1 %, 25 of 0 %: at which step the gate fails
// node bench/baseline/run.mjs stored   false alarms and detection of the stored rule, beside a t and a z rule on history
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [task = 'store', ...options] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'model-gate-baseline-bench-'));
try {
  const outfile = join(folder, `${task}.mjs`);
  buildSync({ entryPoints: [here(`./${task}.ts`)], bundle: true, platform: 'node', format: 'esm', outfile });
  process.exitCode = spawnSync(process.execPath, [outfile, ...options], { stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
