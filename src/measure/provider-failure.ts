import { CUDA_MAJOR, needsNvidia } from './provider-check.ts';

/** What a failed start of a provider left: the engine's message, and the loader's lines, which are on stderr only. */
export interface ProviderFailure {
  readonly provider: string;
  readonly message: string;
  readonly stderr: string;
  /** Folder of the engine's package, for the command that installs what is missing. */
  readonly runtimeDir: string;
}

/** Package that brings a library, by the beginning of its name. */
const BRINGS: readonly (readonly [RegExp, string])[] = [
  [/^libcuda\.so/, 'it is the NVIDIA driver: install it, or give the container a GPU'],
  [
    /^lib(cublas|cublasLt|cudart|curand|cufft|nvrtc|nvJitLink)\b/,
    `install CUDA ${CUDA_MAJOR} and put its lib64 on LD_LIBRARY_PATH before Node starts`,
  ],
  [/^libcudnn/, 'install cuDNN 9 and put it on LD_LIBRARY_PATH before Node starts'],
  [/^libnv(infer|onnxparser)/, 'install TensorRT 10 and put it on LD_LIBRARY_PATH before Node starts'],
  [/^libvulkan/, 'install the Vulkan loader (libvulkan1) and the Vulkan driver of the GPU'],
];

const SAYINGS: readonly (readonly [RegExp, string])[] = [
  [
    /CUDA driver version is insufficient/i,
    `the driver is too old for CUDA ${CUDA_MAJOR}: driver 580 or newer is needed`,
  ],
  [
    /no CUDA-capable device is detected|CUDA failure 100\b/i,
    'CUDA sees no device: give the container a GPU (--gpus, or a GPU limit on the pod)',
  ],
  [
    /no kernel image is available|CUDA failure 209\b/i,
    'the provider has no code for this GPU: it is too old or too new for this engine',
  ],
  [/out of memory|CUDA failure 2\b/i, 'the GPU has no free memory: another process holds it'],
  [/cuDNN is not available/i, 'cuDNN is missing: install cuDNN 9 and put it on LD_LIBRARY_PATH before Node starts'],
  [
    /No supported adapters|Failed to get a WebGPU adapter/i,
    'there is no Vulkan device: install the Vulkan driver of the GPU (vulkaninfo must list it)',
  ],
];

const MISSING = /([A-Za-z0-9_+-]+\.so[0-9.]*): cannot open shared object file/;
const UNLOADED = /Failed to load library (?:\S*\/)?(\S+)/;

/** One line: the provider, what the loader misses and how to get it. Never a reason to run on the CPU instead. */
export function explainProviderFailure(failure: ProviderFailure): string {
  return `provider ${failure.provider} cannot be created: ${reasonOf(failure)}`;
}

function reasonOf({ provider, message, stderr, runtimeDir }: ProviderFailure): string {
  const text = `${stderr}\n${message}`;
  const missing = MISSING.exec(text)?.[1];
  if (missing !== undefined && !missing.startsWith('libonnxruntime_providers')) {
    return `${missing} is missing: ${BRINGS.find(([pattern]) => pattern.test(missing))?.[1] ?? 'install the package that brings it'}`;
  }
  const library = UNLOADED.exec(text)?.[1];
  if (library?.includes('onnxruntime_providers') && needsNvidia(provider)) {
    return `${library} is not beside the engine: set install-cuda: true, or run "node ${runtimeDir}/script/install.js --onnxruntime-node-install"`;
  }
  const saying = SAYINGS.find(([pattern]) => pattern.test(text))?.[1];
  return saying ?? lastSentence(message);
}

/** The engine's own words, without its source paths. */
function lastSentence(message: string): string {
  const line = message.trim().split(/\r?\n/).at(-1) ?? '';
  return line.replace(/^.* was false\. /, '').slice(0, 300) || 'the engine gave no reason';
}
