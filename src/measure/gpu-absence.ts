/** How a call of nvidia-smi ended without an answer. */
export interface SmiFailure {
  readonly kind: 'missing' | 'timed-out' | 'exited';
  readonly exitCode: number | null;
  /** Everything it printed, both streams. */
  readonly text: string;
}

/** Why no NVIDIA card can be asked: `kind` for code, `reason` one line for people. */
export interface GpuAbsence {
  readonly kind: 'no-tool' | 'hang' | 'no-driver' | 'no-device' | 'lost' | 'refused' | 'failed' | 'unusable';
  readonly reason: string;
}

const MESSAGES: readonly (readonly [RegExp, GpuAbsence['kind'], string])[] = [
  [
    /is lost|fallen off the bus|reboot the system to recover/i,
    'lost',
    'the GPU is lost (fallen off the bus): reboot the machine',
  ],
  [
    /no devices were found/i,
    'no-device',
    'the driver finds no GPU: in a container, give it one (--gpus, or a GPU limit on the pod)',
  ],
  [
    /driver\/library version mismatch/i,
    'no-driver',
    'driver and library versions differ after an update: reload the driver or reboot',
  ],
  [
    /couldn't communicate with the NVIDIA driver|driver not loaded/i,
    'no-driver',
    'the NVIDIA driver is not loaded: install or load it',
  ],
  [/insufficient permissions/i, 'refused', 'no permission to ask the driver: let the runner use /dev/nvidia*'],
  [
    /failed to initialize NVML/i,
    'no-driver',
    'the driver library does not start: in a container this often needs a restart of the container',
  ],
];

/** Names the reason a failed call of nvidia-smi gives; NVIDIA documents no stable exit codes for all of them. */
export function describeAbsence(failure: SmiFailure, timeoutMs: number): GpuAbsence {
  if (failure.kind === 'missing') {
    return { kind: 'no-tool', reason: 'nvidia-smi is not on PATH: no NVIDIA driver, or the container hides it' };
  }
  if (failure.kind === 'timed-out') {
    return {
      kind: 'hang',
      reason: `nvidia-smi gave no answer in ${timeoutMs / 1000} s: the driver hangs, check dmesg`,
    };
  }
  const known = MESSAGES.find(([pattern]) => pattern.test(failure.text));
  if (known !== undefined) return { kind: known[1], reason: known[2] };
  const line =
    failure.text
      .split(/\r?\n/)
      .find((text) => text.trim() !== '')
      ?.trim()
      .slice(0, 200) ?? 'no message';
  return { kind: 'failed', reason: `nvidia-smi failed with exit code ${failure.exitCode}: ${line}` };
}

/** The field a driver refuses, from `Field "x" is not a valid field to query.`; null for another failure. */
export function refusedField(text: string): string | null {
  return /Field "([^"]+)" is not a valid field to query/.exec(text)?.[1] ?? null;
}
