/** Processor and memory limits of this process's control group. */
export interface CgroupLimits {
  /** Processors per period; null without a quota. */
  readonly cpus: number | null;
  readonly periodMs: number | null;
  readonly memoryBytes: number | null;
  readonly memoryUsedBytes: number | null;
}

/** How often the scheduler held the group back, since it began. */
export interface ThrottleCount {
  readonly periods: number;
  readonly throttled: number;
}

export const NO_LIMITS: CgroupLimits = { cpus: null, periodMs: null, memoryBytes: null, memoryUsedBytes: null };

/** Memory limits above this mean none: version 1 writes a huge number. */
const NO_MEMORY_LIMIT = 2 ** 60;

/** Path of a controller's group (`''` for version 2) in the text of `/proc/self/cgroup`; null where it has none. */
export function groupPath(text: string, controller: 'cpu' | 'memory' | ''): string | null {
  for (const line of text.split('\n')) {
    const [, controllers, ...path] = line.split(':');
    if (controllers === undefined) continue;
    const isMatch = controller === '' ? controllers === '' : controllers.split(',').includes(controller);
    if (isMatch) return path.join(':');
  }
  return null;
}

/** Quota of version 2's `cpu.max`, as `max 100000` or `150000 100000`, in processors. */
export function parseCpuMax(text: string): { readonly cpus: number; readonly periodMs: number } | null {
  const [quota, period] = text.trim().split(/\s+/);
  return quotaOf(Number(quota), Number(period));
}

/** Quota of version 1's `cpu.cfs_quota_us` (-1 for none) and `cpu.cfs_period_us`, in processors. */
export function parseCfs(quota: string, period: string): { readonly cpus: number; readonly periodMs: number } | null {
  return quotaOf(Number(quota), Number(period));
}

/** Bytes of a memory file; null for `max`, nothing, or version 1's number for "unlimited". */
export function parseMemoryBytes(text: string): number | null {
  const value = Number(text.trim() || Number.NaN);
  return Number.isFinite(value) && value < NO_MEMORY_LIMIT ? value : null;
}

/** Counters of `cpu.stat`; null where the kernel does not count. */
export function parseThrottle(text: string): ThrottleCount | null {
  const value = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const count = { periods: value('nr_periods'), throttled: value('nr_throttled') };
  return Number.isFinite(count.periods) && Number.isFinite(count.throttled) ? count : null;
}

/** The tighter of two limits: every ancestor's holds too. */
export function tighten(a: CgroupLimits, b: CgroupLimits): CgroupLimits {
  const cpu = (a.cpus ?? Infinity) <= (b.cpus ?? Infinity) ? a : b;
  const memory = (a.memoryBytes ?? Infinity) <= (b.memoryBytes ?? Infinity) ? a : b;
  return {
    cpus: cpu.cpus,
    periodMs: cpu.periodMs,
    memoryBytes: memory.memoryBytes,
    memoryUsedBytes: memory.memoryUsedBytes,
  };
}

/** Above this share of held-back periods a restart measured the quota, not the model. */
const THROTTLED_SHARE = 0.05;

/** Why a restart is invalid for quota throttling between two readings; null where it is not. */
export function judgeThrottle(before: ThrottleCount | null, after: ThrottleCount | null): string | null {
  if (!before || !after) return null;
  const periods = after.periods - before.periods;
  const share = periods > 0 ? (after.throttled - before.throttled) / periods : 0;
  return share > THROTTLED_SHARE ? `held back by the processor quota in ${Math.round(share * 100)} % of periods` : null;
}

function quotaOf(quotaUs: number, periodUs: number): { readonly cpus: number; readonly periodMs: number } | null {
  return quotaUs > 0 && periodUs > 0 ? { cpus: quotaUs / periodUs, periodMs: periodUs / 1000 } : null;
}
