import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TimedModel } from './models.ts';

/** Something that times a number of inferences, in milliseconds each, when asked to. */
export interface Timer {
  time(iterations: number): Promise<readonly number[]>;
  close(): Promise<void>;
}

/** Compiles the C loop; null where there is no compiler. */
export function compileLoop(source: string, folder: string): string | null {
  const program = join(folder, 'loop');
  const { status } = spawnSync('cc', ['-O2', '-o', program, source, '-ldl'], { stdio: 'inherit' });
  return status === 0 ? program : null;
}

/** The C loop on one model, on the library of `runtimeDir`. */
export function startLoop(program: string, runtimeDir: string, model: TimedModel): Timer {
  const library = join(runtimeDir, 'bin/napi-v6', process.platform, process.arch, 'libonnxruntime.so.1');
  const dims = model.dims.map(String);
  const child = spawn(program, [library, model.file, model.input, model.output, model.data, ...dims], {
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
  });
  return lineTimer(child, 1e-6);
}

/** The synchronous internal binding without promises: the best a JavaScript program without a compiler can get. */
export function startBinding(script: string, runtimeDir: string, model: TimedModel): Timer {
  const child = spawn(process.execPath, [script, runtimeDir, JSON.stringify(model)], {
    env: { ...process.env, ORT_DISABLE_TELEMETRY: '1' },
  });
  return lineTimer(child, 1);
}

function lineTimer(child: ChildProcessWithoutNullStreams, unitMs: number): Timer {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  child.stderr.pipe(process.stderr);
  return {
    time: async (iterations) => {
      child.stdin.write(`${iterations}\n`);
      const { value, done } = await lines.next();
      if (done) throw new Error('the reference loop ended');
      return value.split(' ').map((text) => Number(text) * unitMs);
    },
    close: async () => {
      child.stdin.end();
      child.kill();
    },
  };
}
