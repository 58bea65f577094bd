import { createHash } from 'node:crypto';

export type FactValue = string | number | boolean | null;

/** Facts about machine and settings by name, as `gpu.name`. */
export type Facts = Readonly<Record<string, FactValue>>;

/** `incomparable`: part of the class. `warns`: compared, but shown. `recorded`: kept for people. */
export type FactEffect = 'incomparable' | 'warns' | 'recorded';

const CPU_CLASS_FACTS = ['cpu.model', 'cpu.granted'] as const;
const GPU_CLASS_FACTS = [
  'gpu.name',
  'gpu.count',
  'gpu.memoryGiB',
  'mig.profile',
  'power.limitW',
  'driver.major',
] as const;

/** Machine facts whose difference makes numbers incomparable; DESIGN §3 "Class". Runtime and options are arm facts. */
export const CLASS_FACTS: readonly string[] = [...CPU_CLASS_FACTS, ...GPU_CLASS_FACTS];

/** Settings that change speed without being a machine: a difference is shown beside the numbers. */
export const WARNING_FACTS: readonly string[] = [
  'cpu.governor',
  'cpu.smt',
  'cpu.spinning',
  'cpu.transparentHugePages',
  'driver.version',
  'gpu.clockMaxSmMHz',
  'gpu.clockMaxMemoryMHz',
  'gpu.computeMode',
  'gpu.ecc',
  'gpu.mps',
  'gpu.persistence',
  'gpu.uuid',
  'gpu.visible',
  'memory.totalGiB',
  'node.major',
  'os.kernel',
];

/** Environment variables that change speed, recorded as `env.<NAME>`; their facts warn. */
export const SPEED_VARIABLES: readonly string[] = [
  'CUDA_DEVICE_MAX_CONNECTIONS',
  'CUDA_LAUNCH_BLOCKING',
  'CUDA_MODULE_LOADING',
  'CUBLAS_WORKSPACE_CONFIG',
  'CUDNN_LOGINFO_DBG',
  'LD_PRELOAD',
  'MALLOC_ARENA_MAX',
  'MALLOC_CONF',
  'MKL_NUM_THREADS',
  'NVIDIA_TF32_OVERRIDE',
  'OMP_NUM_THREADS',
  'OMP_PROC_BIND',
  'OMP_WAIT_POLICY',
];

/** Prefix of the facts that hold environment variables. */
export const VARIABLE_FACT_PREFIX = 'env.';

/** The fact that tells hosts of one class apart: a hash of the host's name, never the name. */
export const HOST_FACT = 'host.id';

/** What a difference in this fact means for a comparison. */
export function effectOfFact(name: string): FactEffect {
  if (CLASS_FACTS.includes(name)) return 'incomparable';
  return WARNING_FACTS.includes(name) || name.startsWith(VARIABLE_FACT_PREFIX) ? 'warns' : 'recorded';
}

/**
 * First 12 hex of SHA-256 over the sorted `name=value` lines of the class facts that are known.
 * `machine` says what is measured: on `cpu` the card's facts are no part of the class.
 */
export function environmentClass(facts: Facts, machine: 'cpu' | 'gpu' = 'gpu'): string {
  const names = machine === 'cpu' ? CPU_CLASS_FACTS : CLASS_FACTS;
  const lines = names
    .filter((name) => classValue(facts, name) !== null)
    .map((name) => `${name}=${classValue(facts, name)}`)
    .sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}

/** One line for each fact that differs: its name, both values and what the difference means; class facts first. */
export function describeFactDifferences(base: Facts, head: Facts): string[] {
  const names = [...new Set([...Object.keys(base), ...Object.keys(head)])].sort();
  return (['incomparable', 'warns', 'recorded'] as const).flatMap((effect) =>
    names
      .filter((name) => effectOfFact(name) === effect && classValue(base, name) !== classValue(head, name))
      .map((name) => `${name}: ${show(base, name)} against ${show(head, name)} (${MEANING[effect]})`),
  );
}

const MEANING: Readonly<Record<FactEffect, string>> = {
  incomparable: 'another machine class, not comparable',
  warns: 'may change speed',
  recorded: 'recorded only',
};

function classValue(facts: Facts, name: string): FactValue {
  const value = Object.hasOwn(facts, name) ? (facts[name] ?? null) : null;
  if (typeof value !== 'number') return value;
  if (name === 'power.limitW') return Math.round(value / 5) * 5;
  return name === 'gpu.memoryGiB' ? Math.round(value) : value;
}

function show(facts: Facts, name: string): string {
  const value = classValue(facts, name);
  return value === null ? 'unknown' : JSON.stringify(value);
}
