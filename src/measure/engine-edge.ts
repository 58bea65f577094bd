import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { TensorLike } from './feed-fill.ts';

/** The part of onnxruntime-node that is used. */
interface Runtime {
  readonly InferenceSession: { create(path: string, options: object): Promise<Session> };
  listSupportedBackends(): readonly { readonly name: string }[];
}

export interface Session {
  readonly inputMetadata: readonly InferenceSession.ValueMetadata[];
  readonly outputMetadata: readonly InferenceSession.ValueMetadata[];
  run(feeds: Feeds, fetch: readonly string[]): Promise<Record<string, Tensor>>;
  endProfiling(): void;
  release(): Promise<void>;
}

export type Feeds = Readonly<Record<string, TensorLike>>;

/** An onnxruntime-node package as loaded into this process. */
export interface Engine {
  readonly version: string;
  readonly backends: readonly string[];
  createSession(modelFile: string, options: object): Promise<Session>;
}

/** Loads the onnxruntime-node package in `runtimeDir`; the only place that imports it. */
export function loadEngine(runtimeDir: string): Engine {
  const require = createRequire(import.meta.url);
  const runtime: Runtime = require(runtimeDir);
  const manifest: { version?: string } = require(join(runtimeDir, 'package.json'));
  return {
    version: manifest.version ?? 'unknown',
    backends: runtime.listSupportedBackends().map(({ name }) => name),
    createSession: (modelFile, options) => runtime.InferenceSession.create(modelFile, options),
  };
}
