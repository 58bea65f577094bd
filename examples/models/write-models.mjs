// Writes the sample models beside itself: node examples/models/write-models.mjs [FOLDER]. The bytes are always the same.
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? here;
const source = "export * from './ranker.ts'; export * from './convnet.ts';";
const { outputFiles } = await build({
  stdin: { contents: source, resolveDir: here, loader: 'ts' },
  bundle: true,
  platform: 'node',
  format: 'esm',
  write: false,
});
const models = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`);
for (const [name, bytes] of [
  ['ranker.onnx', models.rankerModel()],
  ['convnet.onnx', models.convnetModel()],
]) {
  writeFileSync(join(folder, name), bytes);
  console.log(`${join(folder, name)}: ${bytes.byteLength} bytes`);
}
