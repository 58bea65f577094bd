// node bench/detection/run.mjs [--quick] [--fresh] [--only SCENARIO]   simulates what is not yet in results.jsonl;
// quick: a twentieth of it, printed and kept out of the page
// node bench/detection/run.mjs page                                    writes its tables into docs/how-it-decides.md
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const isPage = process.argv[2] === 'page';
const isQuick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'model-gate-detection-'));

function run(task, ...args) {
  const outfile = join(folder, `${task}.mjs`);
  buildSync({ entryPoints: [here(`./${task}.ts`)], bundle: true, platform: 'node', format: 'esm', outfile });
  return spawnSync(process.execPath, [outfile, ...args], { stdio: 'inherit', cwd: here('../..') }).status ?? 1;
}

try {
  process.exitCode = isPage ? 0 : run('bench', ...process.argv.slice(2));
  if (process.exitCode === 0 && !isQuick) process.exitCode = run('page');
} finally {
  rmSync(folder, { recursive: true });
}
