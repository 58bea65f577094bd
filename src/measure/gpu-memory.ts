import type { GpuMemoryDefinition, GpuMemoryReading, GpuSnapshot } from './gpu-health.ts';

/**
 * Device memory of process `pid` in `now`: its own entry in the process list, else what the card's use grew by since
 * `idle`, taken before the process started. A `fixed` definition is never left, so that all readings compare.
 * Null where it cannot be read that way.
 */
export function readProcessMemory(
  pid: number,
  idle: GpuSnapshot,
  now: GpuSnapshot,
  fixed: GpuMemoryDefinition | null,
): GpuMemoryReading | null {
  const own = ownBytes(pid, idle, now);
  if (own !== null && fixed !== 'gpu-device-delta@1') return { bytes: own, definition: 'gpu-own-process@1' };
  return fixed === 'gpu-own-process@1' ? null : deviceDelta(idle, now);
}

/** A number that was listed before the process started is another process of the host that bears the same number. */
function ownBytes(pid: number, idle: GpuSnapshot, now: GpuSnapshot): number | null {
  const earlier = idle.apps?.some((app) => app.pid === pid) ?? false;
  const own = now.apps?.find((app) => app.pid === pid)?.usedBytes ?? null;
  return earlier ? null : own;
}

function deviceDelta(idle: GpuSnapshot, now: GpuSnapshot): GpuMemoryReading | null {
  const before = idle.device.memoryUsedBytes;
  const after = now.device.memoryUsedBytes;
  if (before === null || after === null || after < before) return null;
  return { bytes: after - before, definition: 'gpu-device-delta@1' };
}
