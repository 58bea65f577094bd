// Writes the models of the GPU check beside itself: node bench/gpu/write-models.mjs. The bytes are always the same.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const { outputFiles } = await build({
  entryPoints: [join(here, 'models.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const { chainModel } = await import(
  `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
);
const folder = join(here, 'models');
mkdirSync(folder, { recursive: true });
for (const [size, dims] of [
  ['gpu', { width: 2048, tableSide: 4096 }],
  ['small', { width: 192, tableSide: 1536 }],
]) {
  for (const plant of ['nothing', 'slower', 'bigger', 'fallback']) {
    const bytes = chainModel({ ...dims, plant });
    writeFileSync(join(folder, `${size}-${plant}.onnx`), bytes);
    console.log(`${size}-${plant}.onnx: ${bytes.byteLength} bytes`);
  }
}
