// node bench/levels/run.mjs compute [row paths] [family paths]   writes src/compare/levels-table.ts
// node bench/levels/run.mjs check [paths]                        simulates the errors of that table
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = here('../../src/compare/levels-table.ts');
const [task = 'check', ...sizes] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'model-gate-levels-'));

function run(file, ...args) {
  return spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' }).status;
}

try {
  const outfile = join(folder, `${task}-levels.mjs`);
  buildSync({ entryPoints: [here(`./${task}-levels.ts`)], bundle: true, platform: 'node', format: 'esm', outfile });
  process.exitCode = run(outfile, ...(task === 'compute' ? [target] : []), ...sizes) ?? 1;
  if (task === 'compute') run(here('../../node_modules/@biomejs/biome/bin/biome'), 'format', '--write', target);
} finally {
  rmSync(folder, { recursive: true });
}
