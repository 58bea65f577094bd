/** Variables that reach a worker: what the engine, the loader and the allocator read, and nothing secret. */
const ALLOWED = new Set(
  'PATH HOME LANG TZ TMPDIR TEMP TMP SYSTEMROOT LD_LIBRARY_PATH LD_PRELOAD GLIBC_TUNABLES XDG_RUNTIME_DIR XDG_CACHE_HOME'.split(
    ' ',
  ),
);
const ALLOWED_PREFIXES = [
  'LC_',
  'CUDA_',
  'CUDNN_',
  'CUBLAS_',
  'NVIDIA_',
  'NCCL_',
  'ORT_',
  'OMP_',
  'KMP_',
  'GOMP_',
  'MKL_',
  'OPENBLAS_',
  'MALLOC_',
  'VK_',
] as const;
const SECRET = /TOKEN|SECRET|PASSWORD|CREDENTIAL|_KEY$/i;

/**
 * Environment of a worker, the same for both arms: an allow-list, so that no token of the job reaches a model.
 * The engine's telemetry is off everywhere, or local and CI runs would differ by a thread and 3 MB.
 */
export function workerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
  device: Readonly<Record<string, string>>,
): Record<string, string> {
  const allowed = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isAllowed(entry[0]),
  );
  return { ...Object.fromEntries(allowed), ...device, ORT_DISABLE_TELEMETRY: '1' };
}

function isAllowed(name: string): boolean {
  return !SECRET.test(name) && (ALLOWED.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)));
}
