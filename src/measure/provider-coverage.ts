import type { ProfiledKernel } from './profile.ts';

/** Names the engine gives a provider's kernels, by the name it is asked for. */
const KERNEL_PROVIDERS: Readonly<Record<string, readonly string[]>> = {
  cpu: ['CPUExecutionProvider'],
  cuda: ['CUDAExecutionProvider'],
  // TensorRT hands what it cannot build to CUDA, which is still the asked device.
  tensorrt: ['TensorrtExecutionProvider', 'NvTensorRTRTXExecutionProvider', 'CUDAExecutionProvider'],
  webgpu: ['WebGpuExecutionProvider'],
  dml: ['DmlExecutionProvider'],
  coreml: ['CoreMLExecutionProvider'],
  qnn: ['QNNExecutionProvider'],
  openvino: ['OpenVINOExecutionProvider'],
};

/** Shape arithmetic runs on the CPU on purpose; only operators that move this much count. */
const LARGE_BYTES = 64 * 1024;

export interface Coverage {
  readonly base: number | null;
  readonly head: number;
  /** Operator types that left the provider in head, as `NonMaxSuppression`. */
  readonly newlyOutside: readonly string[];
  /** Operators of any size that left it, where copies are new: what the copies are for. */
  readonly copiedFor: readonly string[];
}

/**
 * Share of the operator types of both arms that run on the asked provider, copy nodes and operators with more than
 * 64 KiB counted. Both shares have one denominator, so head's is lower exactly where a type is newly outside.
 */
export function compareCoverage(
  provider: string,
  base: readonly ProfiledKernel[] | null,
  head: readonly ProfiledKernel[],
): Coverage {
  const types = new Set([...(base ?? []), ...head].map(({ operator }) => operator));
  const before = base ? outside(provider, base) : null;
  const after = outside(provider, head);
  const newlyOutside = [...after].filter((operator) => !before?.has(operator)).sort();
  const headOutside = before && newlyOutside.length > 0 ? before.size + newlyOutside.length : after.size;
  const share = (count: number): number => (types.size === 0 ? 1 : 1 - count / types.size);
  const isCopyNew = newlyOutside.some(isCopy);
  return {
    base: before ? share(before.size) : null,
    head: share(headOutside),
    newlyOutside,
    copiedFor: isCopyNew ? leftProvider(provider, base ?? [], head) : [],
  };
}

function leftProvider(provider: string, base: readonly ProfiledKernel[], head: readonly ProfiledKernel[]): string[] {
  const away = (kernels: readonly ProfiledKernel[]) =>
    kernels.filter((kernel) => !isOn(provider, kernel)).map(({ operator }) => operator);
  const before = new Set(away(base));
  return [...new Set(away(head))].filter((operator) => !before.has(operator) && !isCopy(operator)).sort();
}

function isCopy(operator: string): boolean {
  return operator.startsWith('Memcpy');
}

/** Share of kernel time outside the asked provider. */
export function timeOutside(provider: string, kernels: readonly ProfiledKernel[]): number {
  const total = kernels.reduce((sum, { durationUs }) => sum + durationUs, 0);
  const away = kernels.filter((kernel) => !isOn(provider, kernel)).reduce((sum, { durationUs }) => sum + durationUs, 0);
  return total > 0 ? away / total : 0;
}

function outside(provider: string, kernels: readonly ProfiledKernel[]): Set<string> {
  const counted = kernels.filter(
    (kernel) => isCopy(kernel.operator) || (!isOn(provider, kernel) && kernel.largestBytes > LARGE_BYTES),
  );
  return new Set(counted.map(({ operator }) => operator));
}

function isOn(provider: string, kernel: ProfiledKernel): boolean {
  const names = KERNEL_PROVIDERS[provider];
  return names ? names.includes(kernel.provider) : kernel.provider.toLowerCase().startsWith(provider.toLowerCase());
}
