// Builds dist/ byte-identically from src/: the action door, the terminal door and the measuring worker.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const outdir = process.argv[2] ?? 'dist';
const banner = {
  // CommonJS dependencies inside an ESM bundle still call require().
  js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
};

await build({
  entryPoints: {
    index: 'src/index-edge.ts',
    cli: 'src/cli-edge.ts',
    'measure-worker': 'src/measure/worker-edge.ts',
  },
  outdir,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  banner,
  external: ['onnxruntime-node'],
  legalComments: 'none',
  logLevel: 'warning',
});

// The lockfile from which the engine is installed on a bare runner.
cpSync('runtime', join(outdir, 'runtime'), { recursive: true });
