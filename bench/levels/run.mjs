// Computes src/compare/levels-table.ts: node bench/levels/run.mjs [row paths] [family paths]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const target = here('../../src/compare/levels-table.ts');
const folder = mkdtempSync(join(tmpdir(), 'model-gate-levels-'));
try {
  const outfile = join(folder, 'compute-levels.mjs');
  buildSync({ entryPoints: [here('./compute-levels.ts')], bundle: true, platform: 'node', format: 'esm', outfile });
  spawnSync(process.execPath, [outfile, target, ...process.argv.slice(2)], { stdio: 'inherit' });
  spawnSync(process.execPath, [here('../../node_modules/@biomejs/biome/bin/biome'), 'format', '--write', target], {
    stdio: 'inherit',
  });
} finally {
  rmSync(folder, { recursive: true });
}
