import type { EffortSettings } from './effort.ts';
import type { GpuHealth } from './gpu-health.ts';
import type { Mode } from './measurer.ts';

/** Longest a worker may be silent in one phase before it is killed, in milliseconds. */
export interface WorkerTimeouts {
  readonly startMs: number;
  /** Session creation: a TensorRT engine takes minutes. */
  readonly loadMs: number;
  /** One inference whose length is not known yet. */
  readonly firstRunMs: number;
  /** Everything else, on top of ten times what it should take. */
  readonly graceMs: number;
}

export const DEFAULT_TIMEOUTS: WorkerTimeouts = {
  startMs: 30_000,
  loadMs: 300_000,
  firstRunMs: 60_000,
  graceMs: 20_000,
};

/** What the measurer is doing; shown as progress, never stored. */
export interface MeasureProgress {
  readonly group: string;
  readonly step: 'staging' | 'priming' | 'profiling' | 'confirming' | 'restart' | 'alone';
  readonly detail: string;
}

/** What `createMeasurer` needs from its caller. Paths are absolute. */
export interface MeasurerOptions {
  /** The built worker, `dist/measure-worker.js`. */
  readonly workerFile: string;
  /** An existing folder on a disk with room for both arms; staged files live here until `finish`. */
  readonly stagingRoot: string;
  readonly seed: string;
  /** Folder of the gate's own onnxruntime-node package; an arm's `runtimeDir` replaces it. */
  readonly runtimeDir: string;
  /** Folder that the paths of `.npy` and `.npz` inputs are relative to; default the working directory. */
  readonly feedRoot?: string;
  /** Variables workers may see; only those of an allow-list reach them. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The measured card; null where the provider is not a GPU's. */
  readonly gpu: GpuHealth | null;
  /** How the arms run against each other; default the first of duet, inproc and pairs that the machine has room for. */
  readonly mode?: Mode;
  readonly effort?: Partial<EffortSettings>;
  /** Length of one run of an arm alone on a power-capped card; default 10 s. */
  readonly soloRunMs?: number;
  readonly timeouts?: Partial<WorkerTimeouts>;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: MeasureProgress) => void;
  /** A command that runs the worker, as `prlimit --as=…`; applies to both arms alike. */
  readonly launcher?: readonly string[];
}
