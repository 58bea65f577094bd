import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { inputsOf, layOutPool } from '../../src/measure/pool-file.ts';
import { storePool } from '../../src/measure/pool-file-edge.ts';
import { engineOptions } from '../../src/measure/session-options.ts';
import { workerEnvironment } from '../../src/measure/worker-environment.ts';
import { startWorker, type Worker } from '../../src/measure/worker-process-edge.ts';
import { infiniteLoopModel, tinyMlp } from '../fakes/tiny-models.ts';
import { type Bench, feed, openBench, RUNTIME_DIR } from './measurer-bench.ts';

let bench: Bench;
let workers: Worker[] = [];
beforeAll(async () => {
  bench = await openBench();
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.close()));
  workers = [];
});
afterAll(() => bench.close());

const RUN = { slot: 'head', pool: 'p', fetch: ['y'] } as const;
const OPTIONS = engineOptions({}, { provider: 'cpu', threads: 1, spinning: 'engine-default', profilePrefix: null });

function start(signal?: AbortSignal): Worker {
  const environment = workerEnvironment(process.env, {});
  const { workerFile, root: directory } = bench;
  const worker = startWorker({ workerFile, environment, directory, launcher: [], arm: 'head', signal });
  workers.push(worker);
  return worker;
}

async function load(bytes: Uint8Array, signal?: AbortSignal): Promise<Worker> {
  const worker = start(signal);
  const { modelFile } = bench.arm(bytes);
  const spec = { id: 'c', batch: 4, workload: '', feeds: [feed('x', 'float32', [4, 16])] };
  const file = join(bench.root, `pool-${workers.length}.bin`);
  const pool = await storePool(spec, 3, file, bench.root);
  const inputs = inputsOf(pool.layout, 'head');
  await worker.request({ do: 'open', runtimeDir: RUNTIME_DIR }, 30_000);
  await worker.request({ do: 'load', slot: 'head', modelFile, options: OPTIONS }, 30_000);
  await worker.request({ do: 'feed', pool: 'p', file, inputs, size: 3 }, 30_000);
  return worker;
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

describe('a worker', () => {
  it('times exactly the iterations that were asked', async () => {
    const worker = await load(tinyMlp());
    const { timesMs, wallMs, cpuMs } = await worker.request({ do: 'chunk', ...RUN, iterations: 25 }, 30_000);
    expect(timesMs).toHaveLength(25);
    expect(timesMs.every((ms) => ms > 0)).toBe(true);
    expect(timesMs.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(wallMs);
    expect(cpuMs).toBeGreaterThan(0);
  });

  it('stops warming up at the cap, and at the least where times are steady or not', async () => {
    const worker = await load(tinyMlp());
    const warm = await worker.request({ do: 'warmUp', ...RUN, minMs: 20, minRuns: 2, capMs: 60 }, 30_000);
    expect(warm.runs).toBeGreaterThanOrEqual(2);
    expect(warm.wallMs).toBeGreaterThanOrEqual(20);
    expect(warm.steady || warm.wallMs >= 60).toBe(true);
  });

  it('counts memory runs as warm-up', async () => {
    const worker = await load(tinyMlp());
    const { runs } = await worker.request({ do: 'settle', ...RUN, runs: 7, maxMs: 10_000 }, 30_000);
    const warm = await worker.request({ do: 'warmUp', ...RUN, minMs: 0, minRuns: 2, capMs: 0 }, 30_000);
    expect([runs, warm.runs]).toEqual([7, 7]);
  });

  it('answers an error of the engine and goes on', async () => {
    const worker = await load(tinyMlp());
    const wrong = worker.request({ do: 'chunk', ...RUN, fetch: ['nope'], iterations: 1 }, 30_000);
    await expect(wrong).rejects.toMatchObject({ kind: 'refused', phase: 'chunk', arm: 'head' });
    expect((await worker.request({ do: 'memory' }, 30_000)).peakBytes).toBeGreaterThan(2 ** 20);
  });

  it('that hangs is killed and named', async () => {
    const worker = await load(infiniteLoopModel());
    await expect(worker.request({ do: 'run', ...RUN }, 300)).rejects.toMatchObject({
      kind: 'hung',
      message: 'no answer for 0.3 s during the first inference: the worker was killed',
    });
    expect(isAlive(worker.pid)).toBe(false);
  });

  it.each([
    ['SIGKILL', 'the worker was killed (SIGKILL) during the first inference, most likely for want of memory'],
    ['SIGSEGV', 'the worker crashed (SIGSEGV) during the first inference'],
  ] as const)('that dies of %s is no silence', async (signal, message) => {
    const worker = await load(infiniteLoopModel());
    const running = worker.request({ do: 'run', ...RUN }, 60_000);
    const failed = expect(running).rejects.toMatchObject({ kind: 'killed', message });
    process.kill(worker.pid, signal);
    await failed;
    await expect(worker.request({ do: 'memory' }, 60_000)).rejects.toMatchObject({ kind: 'killed', phase: 'memory' });
  });

  it('of a cancelled job ends in the middle of a run', async () => {
    const controller = new AbortController();
    const worker = await load(infiniteLoopModel(), controller.signal);
    const running = worker.request({ do: 'run', ...RUN }, 60_000);
    const cancelled = expect(running).rejects.toThrow('cancelled');
    controller.abort(new Error('cancelled'));
    await cancelled;
    expect(isAlive(worker.pid)).toBe(false);
    expect(() => start(controller.signal)).toThrow('cancelled');
  });

  it('ends by itself when its parent is gone', async () => {
    const parent = spawn(
      process.execPath,
      ['-e', `const c=require('child_process').fork(${JSON.stringify(bench.workerFile)});console.log(c.pid)`],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    const pid = Number(String(line));
    while (isAlive(pid)) await new Promise((resolve) => setImmediate(resolve));
    expect(isAlive(pid)).toBe(false);
  });
});

describe('the folder of outputs', () => {
  it('holds each output raw', async () => {
    const worker = await load(tinyMlp());
    const directory = join(bench.root, 'outputs');
    mkdirSync(directory);
    const { outputs } = await worker.request({ do: 'outputs', slot: 'head', pool: 'p', directory }, 30_000);
    expect(outputs).toEqual([{ name: 'y', dtype: 'float32', dims: [4, 16], file: '0.bin' }]);
  });
});

describe('layout of a pool', () => {
  it('keeps inputs apart and aligned, and leaves the other arm out', () => {
    const specs = [
      feed('a', 'float16', [3]),
      feed('text', 'string', [2], { source: { fill: 'constant', value: 'hi' } }),
      feed('b', 'int64', [9], { arms: 'head' }),
    ];
    const layout = layOutPool(specs, 10);
    expect(layout.bytes).toBe(10 * 64 + 10 * 128);
    expect(layout.inputs.map(({ offset }) => offset)).toEqual([0, 640, 640]);
    expect(inputsOf(layout, 'base').map(({ name }) => name)).toEqual(['a', 'text']);
    expect(inputsOf(layout, 'head')[1]).toMatchObject({ text: 'hi' });
  });
});
