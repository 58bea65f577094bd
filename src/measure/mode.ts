import type { Mode } from './measurer.ts';

/** What a solo start of each arm needed, and what is free. Bytes; null where not known. */
export interface Capacity {
  readonly hostFreeBytes: number | null;
  readonly hostPeakBytes: readonly number[];
  /** Arms of different runtimes cannot share a process. */
  readonly sameRuntime: boolean;
  readonly gpu: {
    /** The card lets one process at a time use it. */
    readonly exclusive: boolean;
    readonly freeBytes: number | null;
    readonly peakBytes: readonly number[];
  } | null;
}

/** How both arms run against each other, and why it is not the duet. */
export interface ModeChoice {
  readonly mode: Mode;
  readonly reason: string | null;
}

/** Both arms must fit with a quarter to spare: two live sessions may reserve more than one alone. */
const HEADROOM = 1.25;

/** The first of duet, inproc and pairs that fits; chosen before anything is judged (second-look 9, 10). */
export function chooseMode(capacity: Capacity): ModeChoice {
  const { gpu } = capacity;
  const needsHost = sum(capacity.hostPeakBytes) * HEADROOM;
  if (capacity.hostFreeBytes !== null && capacity.hostFreeBytes < needsHost)
    return {
      mode: 'pairs',
      reason: `both arms need ${gib(needsHost)} of memory, ${gib(capacity.hostFreeBytes)} is free`,
    };
  if (!gpu) return { mode: 'duet', reason: null };
  const needsGpu = sum(gpu.peakBytes) * HEADROOM;
  if (gpu.freeBytes !== null && gpu.freeBytes < needsGpu)
    return { mode: 'pairs', reason: `both arms need ${gib(needsGpu)} of GPU memory, ${gib(gpu.freeBytes)} is free` };
  const mode = capacity.sameRuntime ? 'inproc' : 'pairs';
  if (gpu.exclusive) return { mode, reason: 'the GPU lets only one process at a time use it' };
  return { mode: 'duet', reason: null };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function gib(bytes: number): string {
  return `${(bytes / 2 ** 30).toFixed(1)} GiB`;
}
