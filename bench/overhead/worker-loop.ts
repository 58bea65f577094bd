import { engineOptions } from '../../src/measure/session-options.ts';
import { workerEnvironment } from '../../src/measure/worker-environment.ts';
import { startWorker } from '../../src/measure/worker-process-edge.ts';
import type { Timer } from './c-loop.ts';
import type { TimedModel } from './models.ts';

const PATIENCE_MS = 120_000;

/** Our own worker and timing loop on one model. */
export async function startOurs(
  workerFile: string,
  folder: string,
  runtimeDir: string,
  model: TimedModel,
): Promise<Timer> {
  const environment = workerEnvironment(process.env, {});
  const worker = startWorker({
    workerFile,
    environment,
    directory: folder,
    launcher: [],
    arm: 'head',
    signal: undefined,
  });
  const options = engineOptions({}, { provider: 'cpu', threads: 1, spinning: 'engine-default', profilePrefix: null });
  const bytesPerFeed = model.dims.reduce((product, dim) => product * dim, 4);
  const inputs = [{ name: model.input, dtype: 'float32', dims: model.dims, offset: 0, bytesPerFeed }];
  await worker.request({ do: 'open', runtimeDir }, PATIENCE_MS);
  await worker.request({ do: 'load', slot: 'head', modelFile: model.file, options }, PATIENCE_MS);
  await worker.request({ do: 'feed', pool: 'p', file: model.data, inputs, size: 1 }, PATIENCE_MS);
  const target = { do: 'chunk', slot: 'head', pool: 'p', fetch: [model.output] } as const;
  return {
    time: async (iterations) => (await worker.request({ ...target, iterations }, PATIENCE_MS)).timesMs,
    close: () => worker.close(),
  };
}
