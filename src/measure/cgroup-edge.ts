import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CgroupLimits,
  groupPath,
  NO_LIMITS,
  parseCfs,
  parseCpuMax,
  parseMemoryBytes,
  parseThrottle,
  type ThrottleCount,
  tighten,
} from './cgroup.ts';

const ROOT = '/sys/fs/cgroup';

/** Limits of this process from both versions of control groups, over all ancestors; none where there are no groups. */
export function readCgroupLimits(root = ROOT, self = '/proc/self/cgroup'): CgroupLimits {
  const own = read(self) ?? '';
  const versionTwo = ancestors(groupPath(own, '')).map((path): CgroupLimits => {
    const cpu = parseCpuMax(read(join(root, path, 'cpu.max')) ?? '');
    return { ...limitsOf(cpu), ...memoryOf(join(root, path), 'memory.max', 'memory.current') };
  });
  const cpuVersionOne = ancestors(groupPath(own, 'cpu')).map((path): CgroupLimits => {
    const folder = join(root, 'cpu', path);
    const cpu = parseCfs(read(join(folder, 'cpu.cfs_quota_us')) ?? '', read(join(folder, 'cpu.cfs_period_us')) ?? '');
    return { ...NO_LIMITS, ...limitsOf(cpu) };
  });
  const memoryVersionOne = ancestors(groupPath(own, 'memory')).map((path): CgroupLimits => {
    const folder = join(root, 'memory', path);
    return { ...NO_LIMITS, ...memoryOf(folder, 'memory.limit_in_bytes', 'memory.usage_in_bytes') };
  });
  return [...versionTwo, ...cpuVersionOne, ...memoryVersionOne].reduce(tighten, NO_LIMITS);
}

/** Periods and held-back periods of this process's group so far; null where the kernel does not count. */
export function readThrottle(root = ROOT, self = '/proc/self/cgroup'): ThrottleCount | null {
  const own = read(self) ?? '';
  const candidates = [
    join(root, groupPath(own, '') ?? '', 'cpu.stat'),
    join(root, 'cpu.stat'),
    join(root, 'cpu', groupPath(own, 'cpu') ?? '', 'cpu.stat'),
    join(root, 'cpu', 'cpu.stat'),
  ];
  for (const file of candidates) {
    const count = parseThrottle(read(file) ?? '');
    if (count) return count;
  }
  return null;
}

/** A group's path and every one above it. Inside a container the path may not exist; then only the root is read. */
function ancestors(path: string | null): string[] {
  if (path === null) return [];
  const parts = path.split('/').filter((part) => part !== '' && part !== '..');
  return parts.map((_, depth) => parts.slice(0, depth + 1).join('/')).concat('');
}

function limitsOf(cpu: { cpus: number; periodMs: number } | null): Pick<CgroupLimits, 'cpus' | 'periodMs'> {
  return { cpus: cpu?.cpus ?? null, periodMs: cpu?.periodMs ?? null };
}

function memoryOf(folder: string, limit: string, used: string): Pick<CgroupLimits, 'memoryBytes' | 'memoryUsedBytes'> {
  return {
    memoryBytes: parseMemoryBytes(read(join(folder, limit)) ?? ''),
    memoryUsedBytes: parseMemoryBytes(read(join(folder, used)) ?? ''),
  };
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}
