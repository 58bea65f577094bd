import { createHash } from 'node:crypto';
import { cpus, hostname, loadavg, platform, release, totalmem } from 'node:os';
import { type Facts, HOST_FACT, SPEED_VARIABLES, VARIABLE_FACT_PREFIX } from '../baseline/environment-class.ts';
import { readCgroupLimits } from './cgroup-edge.ts';
import { readCpuGrant } from './cpu-grant-edge.ts';
import { readText } from './machine-edge.ts';

/** Facts of the machine and its settings, but for the GPU's: the class facts, those that warn, and a record. */
export function readEnvironmentFacts(env: NodeJS.ProcessEnv): Facts {
  const grant = readCpuGrant();
  const limits = readCgroupLimits();
  const granted = Math.max(1, Math.min(grant.allowed.length, Math.floor(grant.quotaCpus ?? Number.POSITIVE_INFINITY)));
  const settings = SPEED_VARIABLES.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[`${VARIABLE_FACT_PREFIX}${name}`, value] as const];
  });
  return {
    'cpu.model': cpus()[0]?.model.trim() ?? 'unknown',
    'cpu.granted': granted,
    'cpu.quota': grant.quotaCpus,
    'cpu.governor': firstLine('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    'cpu.smt': firstLine('/sys/devices/system/cpu/smt/active') === '1',
    'cpu.transparentHugePages': chosenOf('/sys/kernel/mm/transparent_hugepage/enabled'),
    'cpu.loadAverage': Math.round((loadavg()[0] ?? 0) * 100) / 100,
    'memory.totalGiB': Math.round(totalmem() / 2 ** 30),
    'memory.limitGiB': limits.memoryBytes === null ? null : Math.round(limits.memoryBytes / 2 ** 30),
    'node.major': Number(process.versions.node.split('.')[0]),
    'os.container': containerOf(env),
    'os.kernel': `${platform()} ${release()}`,
    'os.name': /^PRETTY_NAME="?([^"\n]+)/m.exec(readText('/etc/os-release') ?? '')?.[1] ?? null,
    [HOST_FACT]: createHash('sha256').update(hostname()).digest('hex').slice(0, 12),
    ...Object.fromEntries(settings),
  };
}

/** Kind of container this process is in; null outside of one. */
function containerOf(env: NodeJS.ProcessEnv): string | null {
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return 'kubernetes';
  if (readText('/run/.containerenv') !== null) return 'podman';
  return readText('/.dockerenv') === null ? null : 'docker';
}

function firstLine(file: string): string | null {
  return readText(file)?.split('\n')[0]?.trim() || null;
}

/** The bracketed word of a kernel setting such as `always [madvise] never`. */
function chosenOf(file: string): string | null {
  return /\[(\w+)\]/.exec(readText(file) ?? '')?.[1] ?? null;
}
