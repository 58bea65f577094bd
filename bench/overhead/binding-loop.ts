import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TimedModel } from './models.ts';

const [, , runtimeDir = '', text = ''] = process.argv;
const model: TimedModel = JSON.parse(text);
const require = createRequire(import.meta.url);
require(runtimeDir);
const { binding, initOrt } = require(join(runtimeDir, 'dist/binding.js'));
initOrt();
const session = new binding.InferenceSession();
session.loadModel(model.file, { intraOpNumThreads: 1 });
const bytes = readFileSync(model.data);
const data = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
const feeds = { [model.input]: { type: 'float32', dims: model.dims, location: 'cpu', data } };
const fetches = { [model.output]: null };

for await (const line of createInterface({ input: process.stdin })) {
  const times = new Float64Array(Number(line));
  for (let i = 0; i < times.length; i++) {
    const beforeMs = performance.now();
    session.run(feeds, fetches, {});
    times[i] = performance.now() - beforeMs;
  }
  process.stdout.write(`${times.join(' ')}\n`);
}
