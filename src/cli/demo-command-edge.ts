import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { git } from '../changes/git-process-edge.ts';
import { NoVerdictError } from '../errors.ts';
import { DEFAULT_CONFIG_PATH, parseGateConfig } from '../inputs/config-file.ts';
import type { Workbench } from '../measure/workbench-edge.ts';
import { calibrateRows, plantWork, reserialise } from '../model/variant.ts';
import { planGroups } from '../plan/plan-groups.ts';
import { type GateRequest, runGate } from '../run-gate.ts';
import { exitCodeOf, type Verdict } from '../verdict/verdict.ts';
import { withLocalJob } from './local-job-edge.ts';
import { readArm } from './local-model-edge.ts';
import { type ShowOptions, showVerdict } from './show-verdict-edge.ts';
import { tell } from './terminal-edge.ts';

/** How much slower the demo makes its ranker. */
const PLANTED_SHARE = 0.08;

/** p95 needs a quieter machine than a demo may ask for. */
const CONFIG = `version: 1
metrics:
  latency.p95: {gate: false}
models:
  - id: ranker
    path: models/ranker.onnx
    batches: [256]
  - id: text-direction
    path: models/text-direction.onnx
    inputs:
      x: {dims: [batch, 3, 48, 192], fill: uniform, range: [0, 1]}
`;

const DEMO_REQUEST: GateRequest = {
  launch: false,
  failFast: 'judge-all',
  creepRule: 'if-own-change-worse',
  earlier: 'ignore',
  policy: { enforce: true, 'on-no-verdict': 'fail' },
  report: {},
};

/**
 * `demo`: gates a change to two models in a repository of its own: a ranker made slower, and a real text classifier
 * whose bytes changed but not its work. Returns 0 where the gate ended as it should: one regression, one pass.
 */
export async function runDemoCommand(options: ShowOptions): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gate-demo-'));
  const request = { folder, base: 'HEAD~1', outFolder: options.out ?? join(folder, 'results') };
  tell(`a change is made up in ${folder}: planting ${PLANTED_SHARE * 100} % more work into a ranker on this machine`);
  try {
    const { verdict } = await withLocalJob(
      request,
      ({ edges }) => runGate(DEMO_REQUEST, edges),
      (workbench) => writeDemoRepository(folder, workbench),
    );
    await showVerdict(verdict, { json: options.json, markdown: options.markdown });
    return conclude(verdict);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function conclude(verdict: Verdict): number {
  const p50 = (model: string) =>
    verdict.rows.find((row) => row.case.startsWith(`${model}/`) && row.metric === 'latency.p50');
  const ended = { ranker: p50('ranker')?.status, classifier: p50('text-direction')?.status };
  if (ended.ranker === 'regressed' && ended.classifier === 'pass') {
    tell('the demo ended as it should: the planted slow-down was caught, and the other change passed');
    return 0;
  }
  tell(
    `the demo should end with ranker regressed and text-direction pass, but: ${ended.ranker ?? 'missing'}, ${ended.classifier ?? 'missing'}`,
  );
  return exitCodeOf('no-verdict');
}

async function writeDemoRepository(folder: string, workbench: Workbench): Promise<void> {
  const models = { ranker: await readSample('ranker'), 'text-direction': await readClassifier() };
  const write = (id: string, bytes: Uint8Array) => writeFile(join(folder, 'models', `${id}.onnx`), bytes);
  await git(folder, ['init', '--quiet']);
  await mkdir(join(folder, 'models'));
  await mkdir(join(folder, dirname(DEFAULT_CONFIG_PATH)), { recursive: true });
  await writeFile(join(folder, DEFAULT_CONFIG_PATH), CONFIG);
  for (const [id, bytes] of Object.entries(models)) await write(id, bytes);
  await commit(folder, 'What is accepted today');
  const rows = await calibrateRows((tried) => measureSlowdown(folder, models.ranker, tried, workbench), PLANTED_SHARE);
  await write('ranker', plantWork(models.ranker, rows));
  await write('text-direction', reserialise(models['text-direction']));
  await commit(folder, 'A slower ranker, and a classifier that was only written again');
}

async function commit(folder: string, message: string): Promise<void> {
  await git(folder, ['add', '--all']);
  const who = ['-c', 'user.name=Model Gate demo', '-c', 'user.email=demo@model-gate.invalid'];
  await git(folder, [...who, 'commit', '--quiet', '--no-gpg-sign', '-m', message]);
}

/** Planted ÷ base − 1 by one restart on this machine. */
async function measureSlowdown(folder: string, bytes: Uint8Array, rows: number, workbench: Workbench): Promise<number> {
  const planted = join(folder, 'models', 'planted.onnx');
  await writeFile(planted, plantWork(bytes, rows));
  const [model] = parseGateConfig(CONFIG, DEFAULT_CONFIG_PATH).models ?? [];
  if (model?.id === undefined) throw new NoVerdictError('the demo lists no model');
  const [base, head] = [await readArm(join(folder, 'models', 'ranker.onnx')), await readArm(planted)];
  const arms = { base, head, baseConfig: model, headConfig: model };
  const subject = { id: model.id, path: planted, comparison: 'paired', feedFiles: {}, notes: [] } as const;
  const { groups } = planGroups({ ...subject, ...arms }, { defaultProvider: 'cpu', equalArms: 'measure' });
  const { measurer, release } = await workbench.open(groups);
  try {
    const ratios: number[] = [];
    for (const group of groups) {
      await measurer.prepare(group);
      const { pairs } = await measurer.restart(
        group,
        0,
        group.cases.map(({ id }) => id),
      );
      for (const pair of Object.values(pairs))
        ratios.push((pair.head.values['latency.p50'] ?? 0) / (pair.base?.values['latency.p50'] ?? 0));
    }
    return (ratios[0] ?? 1) - 1;
  } finally {
    await release();
    await rm(planted, { force: true });
  }
}

const PACKAGE_FOLDER = join(dirname(fileURLToPath(import.meta.url)), '..');

async function readSample(name: string): Promise<Uint8Array> {
  return readFile(join(PACKAGE_FOLDER, 'examples', 'models', `${name}.onnx`));
}

async function readClassifier(): Promise<Uint8Array> {
  const file = join('node_modules', '@gutenye', 'ocr-models', 'assets', 'ch_ppocr_mobile_v2.0_cls_infer.onnx');
  return readFile(join(PACKAGE_FOLDER, file)).catch(() => {
    throw new NoVerdictError('the demo needs its real model: run `npm ci` in the folder of Model Gate first');
  });
}
