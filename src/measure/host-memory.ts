import type { CgroupLimits } from './cgroup.ts';

/** Bytes that more processes may take: what the machine has available, and the control group's rest. Null if unknown. */
export function freeBytes(meminfo: string, limits: CgroupLimits): number | null {
  const available = /^MemAvailable:\s+(\d+) kB$/m.exec(meminfo)?.[1];
  const machine = available === undefined ? null : Number(available) * 1024;
  const group = limits.memoryBytes === null ? null : limits.memoryBytes - (limits.memoryUsedBytes ?? 0);
  if (machine === null) return group;
  return group === null ? machine : Math.min(machine, group);
}

/** Bytes of a cache size such as `32K` or `480M`; null for anything else. */
export function parseCacheSize(text: string): number | null {
  const match = /^(\d+)([KMG])$/.exec(text.trim());
  const unit = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[match?.[2] ?? ''];
  return match && unit ? Number(match[1]) * unit : null;
}
