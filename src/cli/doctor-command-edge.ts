import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tryGit } from '../changes/git-process-edge.ts';
import { describeThrown, RefusedError } from '../errors.ts';
import { doctorAdvice } from '../report/doctor-advice.ts';
import { DOCTOR_SCHEMA, type DoctorReport, impossibility, isFault } from '../report/doctor-report.ts';
import { doctorText } from '../report/doctor-text.ts';
import { exitCodeOf } from '../verdict/verdict.ts';
import { VERSION } from '../version.ts';
import {
  examineBaselines,
  examineEngine,
  examineGpu,
  examineProcessors,
  examineProviders,
} from './doctor-machine-edge.ts';
import { runTrial, type TrialResult } from './doctor-trial-edge.ts';
import { configOf } from './local-model-edge.ts';
import { openLocalWorkbench, stopSignal } from './local-workbench-edge.ts';
import { readConfig } from './read-files-edge.ts';
import { createProgress, print } from './terminal-edge.ts';

export interface DoctorOptions {
  readonly provider?: string;
  readonly batch?: readonly number[];
  readonly restarts?: number;
  readonly config?: string;
  readonly json?: boolean;
}

const SAMPLE = join(dirname(fileURLToPath(import.meta.url)), '..', 'examples', 'models', 'ranker.onnx');
const SAMPLE_BATCH = 256;
/** Even, so that either copy is started first equally often. */
const RESTARTS = 8;

/**
 * `doctor`: what this machine can be trusted with, measured on two copies of the model or of a sample. Returns 0, or
 * 2 where nothing can be measured here.
 */
export async function runDoctorCommand(model: string | undefined, options: DoctorOptions): Promise<number> {
  const signal = stopSignal();
  const session = randomUUID();
  const progress = createProgress();
  const modelFile = model ?? SAMPLE;
  const batch = options.batch ?? (model === undefined ? [SAMPLE_BATCH] : undefined);
  const config = configOf(await readConfig(options.config), modelFile, { ...options, ...(batch ? { batch } : {}) });
  const workbench = openLocalWorkbench({ session, signal, onProgress: progress.step });
  // What the machine is before anything of ours runs on it.
  const machine = await workbench.inspect([config]);
  const gpu = await examineGpu(workbench, config, process.env);
  const choice = machine.chooseProvider(config.providers?.[0] ?? null);
  const environment = machine.environment('provider' in choice ? [choice.provider] : []);
  const engine = await examineEngine(workbench);
  const trial = await attempt(() =>
    runTrial({
      modelFile,
      config,
      restarts: options.restarts ?? RESTARTS,
      session,
      machine,
      workbench,
      edges: { nowMs: () => Date.now(), toolVersion: VERSION, signal, progress: { ...progress, planned: () => {} } },
    }),
  );
  const found: Omit<DoctorReport, 'advice'> = {
    schema: DOCTOR_SCHEMA,
    version: VERSION,
    environment,
    ...examineProcessors(),
    engine,
    providers: isFault(engine) ? [] : await examineProviders(workbench),
    gpu: isFault(gpu) || isFault(trial) ? gpu : { ...gpu, clocksUnderLoadMHz: trial.clocksUnderLoadMHz },
    baselines: await examineBaselines(await folderOf(process.cwd()), environment.class),
    trial: isFault(trial) ? trial : trial.trial,
  };
  progress.end();
  const report: DoctorReport = { ...found, advice: doctorAdvice(found) };
  print(options.json ? JSON.stringify(report) : doctorText(report));
  return impossibility(report) === null ? 0 : exitCodeOf('no-verdict');
}

async function attempt(run: () => Promise<TrialResult>): Promise<TrialResult | { readonly fault: string }> {
  try {
    return await run();
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown;
    return { fault: describeThrown(thrown) };
  }
}

/** The root of the work tree around `folder`, or the folder itself. */
async function folderOf(folder: string): Promise<string> {
  const { exitCode, stdout } = await tryGit(folder, ['rev-parse', '--show-toplevel']);
  return exitCode === 0 ? stdout.trim() : folder;
}
