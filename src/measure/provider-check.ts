import type { SessionOptions } from '../inputs/gate-config.ts';
import type { GpuAbsence } from './gpu-absence.ts';

/** Providers that run on an NVIDIA card through CUDA. */
const NVIDIA: readonly string[] = ['cuda', 'tensorrt'];
/** Providers for which the binding reads a device number; others ignore it silently. */
const WITH_DEVICE_ID: readonly string[] = [...NVIDIA, 'dml'];
/** Names of other languages and of hardware, by the name this engine takes. */
const ALIASES: Readonly<Record<string, string>> = {
  cpuexecutionprovider: 'cpu',
  cudaexecutionprovider: 'cuda',
  gpu: 'cuda',
  nvidia: 'cuda',
  tensorrtexecutionprovider: 'tensorrt',
  trt: 'tensorrt',
  webgpuexecutionprovider: 'webgpu',
  vulkan: 'webgpu',
  dmlexecutionprovider: 'dml',
  directml: 'dml',
  coremlexecutionprovider: 'coreml',
};
const CONFIG_KEY = /^(session|optimization|ep|mlas|memory)\.[a-z0-9_.]+$/i;

/** Whether the provider needs an NVIDIA card, whose state nvidia-smi tells. */
export function needsNvidia(provider: string): boolean {
  return NVIDIA.includes(provider);
}

/** Whether the provider may run on an NVIDIA card: webgpu takes what Vulkan offers, which may be one. */
export function mayRunOnNvidia(provider: string): boolean {
  return provider === 'webgpu' || needsNvidia(provider);
}

/**
 * Why provider and options must be refused, in one line; null where the engine takes and honours them. `offered` are
 * the engine's own names (`listSupportedBackends`): an unknown name beside a known one would run on the CPU silently.
 */
export function refuseProvider(provider: string, session: SessionOptions, offered: readonly string[]): string | null {
  if (!offered.includes(provider)) {
    const meant = ALIASES[provider.toLowerCase()] ?? offered.find((name) => name === provider.toLowerCase());
    const hint =
      meant !== undefined && offered.includes(meant)
        ? `: write "${meant}"`
        : ` on this machine: use ${offered.join(', ')}`;
    return `provider ${JSON.stringify(provider)} is not one that onnxruntime-node has${hint}`;
  }
  if (session['device-id'] !== undefined && !WITH_DEVICE_ID.includes(provider)) {
    return `session.device-id does nothing with provider ${provider}: remove it, or use ${WITH_DEVICE_ID.filter((name) => offered.includes(name)).join(' or ') || 'another provider'}`;
  }
  const unknown = Object.keys(session.config ?? {}).find((key) => !CONFIG_KEY.test(key));
  return unknown === undefined
    ? null
    : `session.config key ${JSON.stringify(unknown)} is none of onnxruntime's (session.…, optimization.…, ep.…, mlas.…, memory.…): the engine would ignore it silently`;
}

/** What the report says of a provider besides its numbers, where `visibleCards` NVIDIA cards are shown to the job. */
export function providerNotes(provider: string, gpu: 'watched' | 'blind', visibleCards = 1): string[] {
  const notes: string[] = [];
  if (provider === 'tensorrt') {
    notes.push(
      'tensorrt is experimental here: through this engine it runs in FP32 and builds its engine anew at each start',
    );
  }
  if (provider !== 'cpu' && gpu === 'blind') {
    notes.push(
      'no NVIDIA GPU is watched: heat, clocks, other processes and GPU memory are not checked on this machine',
    );
  }
  if (provider === 'webgpu' && visibleCards > 1) {
    notes.push(
      `webgpu takes the adapter that Vulkan names first: of the ${visibleCards} cards here it may use another than the watched one; show the job one card only`,
    );
  }
  return notes;
}

/** The provider to measure with, and how it came about; or why nothing may be measured, in one line. */
export type ProviderChoice =
  | { readonly provider: string; readonly note: string | null }
  | { readonly noVerdict: string };

/**
 * The asked provider; without one `cuda` where an NVIDIA GPU is, else `cpu`. A card that is there but cannot be used
 * is no reason for the CPU: a gate that falls back silently compares nothing of what runs in production.
 */
export function chooseProvider(asked: string | null, deviceId: number, absence: GpuAbsence | null): ProviderChoice {
  if (asked !== null) {
    if (absence === null || !needsNvidia(asked)) return { provider: asked, note: null };
    return { noVerdict: `provider ${asked} needs an NVIDIA GPU as device ${deviceId}: ${absence.reason}` };
  }
  if (absence === null) return { provider: 'cuda', note: 'provider cuda: an NVIDIA GPU is present' };
  if (absence.kind === 'no-tool' || absence.kind === 'no-device') {
    return { provider: 'cpu', note: `provider cpu: ${absence.reason}` };
  }
  return { noVerdict: `the NVIDIA GPU of this machine cannot be used: ${absence.reason} (or set providers: [cpu])` };
}

/** CUDA major of the provider libraries of this engine: its files of 1.29 and 1.30 are linked to libcudart.so.13. */
export const CUDA_MAJOR = 13;
/** First driver branch that runs programs of a CUDA major; NVIDIA's CUDA compatibility table. */
const DRIVER_FOR_CUDA: Readonly<Record<number, number>> = { 12: 525, 13: 580 };

/** Why this driver cannot run the CUDA provider; null where it can or is not known. */
export function refuseDriver(driverMajor: number | null, cudaMajor: number = CUDA_MAJOR): string | null {
  const needed = DRIVER_FOR_CUDA[cudaMajor];
  return driverMajor === null || needed === undefined || driverMajor >= needed
    ? null
    : `driver ${driverMajor} is too old for CUDA ${cudaMajor}, which the CUDA provider is built for: driver ${needed} or newer is needed`;
}
