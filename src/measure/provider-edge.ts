import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoVerdictError, RefusedError } from '../errors.ts';
import type { SessionOptions } from '../inputs/gate-config.ts';
import { writeEmptyModel } from './floor-model-edge.ts';
import { refuseProvider } from './provider-check.ts';
import { explainProviderFailure } from './provider-failure.ts';
import { engineOptions } from './session-options.ts';
import { workerEnvironment } from './worker-environment.ts';
import { WorkerFailure } from './worker-failure.ts';
import { startWorker } from './worker-process-edge.ts';

export interface ProviderTrial {
  readonly provider: string;
  readonly session: SessionOptions;
  readonly runtimeDir: string;
  /** The built worker, `dist/measure-worker.js`. */
  readonly workerFile: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables that show the worker one card. */
  readonly device: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What the engine says of itself. */
export interface TriedEngine {
  readonly version: string;
  readonly backends: readonly string[];
}

const START_MS = 30_000;
/** A first use of CUDA builds its context and may compile for a new card. */
const LOAD_MS = 120_000;

/**
 * Creates a session on the provider in a process of its own, before anything is planned on it. Throws RefusedError for
 * a name or option the engine does not honour, NoVerdictError with the loader's reason where it cannot be created.
 */
export async function tryProvider(trial: ProviderTrial): Promise<TriedEngine> {
  const { provider, session, runtimeDir } = trial;
  const directory = await mkdtemp(join(tmpdir(), 'model-gate-provider-'));
  const worker = startWorker({
    workerFile: trial.workerFile,
    environment: workerEnvironment(trial.environment, trial.device),
    directory,
    launcher: [],
    arm: 'head',
    signal: trial.signal,
  });
  try {
    const engine = await worker.request({ do: 'open', runtimeDir }, START_MS);
    const refused = refuseProvider(provider, session, engine.backends);
    if (refused !== null) throw new RefusedError(refused);
    const options = engineOptions(session, { provider, threads: 1, spinning: 'engine-default', profilePrefix: null });
    await worker.request({ do: 'load', slot: 'floor', modelFile: writeEmptyModel(directory), options }, LOAD_MS);
    return engine;
  } catch (thrown) {
    if (!(thrown instanceof WorkerFailure)) throw thrown;
    const { message, stderrTail = '' } = thrown;
    throw new NoVerdictError(explainProviderFailure({ provider, message, stderr: stderrTail, runtimeDir }));
  } finally {
    await worker.close();
    await rm(directory, { recursive: true, force: true });
  }
}
