import type { ComputeApp, GpuDevice } from './gpu-query.ts';

/** State of the measured card at one moment; taken outside timed windows only. */
export interface GpuSnapshot {
  /** Monotonic milliseconds. */
  readonly takenAtMs: number;
  readonly device: GpuDevice;
  /** Compute processes on this card (on MIG: in this slice); null where the list cannot be read. */
  readonly apps: readonly ComputeApp[] | null;
}

/** What the card did between two snapshots: whether the restart counts, and what to tell. */
export interface RestartHealth {
  readonly valid: boolean;
  /** Sentences for the restart's notes: why it is invalid, or what was seen though it is valid. */
  readonly notes: readonly string[];
  /** Share of the window in which the software power cap held clocks down; null where not reported. */
  readonly powerCapShare: number | null;
  /** Values under load, recorded beside the restart. */
  readonly facts: Readonly<Record<string, number>>;
}

/** Bytes of device memory at a fixed point, and how they were read. */
export interface GpuMemoryReading {
  readonly bytes: number;
  /** `gpu-own-process@1`, or `gpu-device-delta@1` where the own process cannot be seen (containers, MIG, Windows). */
  readonly definition: GpuMemoryDefinition;
}

export type GpuMemoryDefinition = 'gpu-own-process@1' | 'gpu-device-delta@1';

/** The measured card: the real one asks nvidia-smi, a fake one is scripted. Never call it inside a timed window. */
export interface GpuHealth {
  /** Key of the host-wide lock: the card's UUID, on MIG the parent's. */
  readonly lockKey: string;
  /** Facts of environment class and record, by name. */
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
  /** Sentences about the card's settings, for the report. */
  readonly notes: readonly string[];
  /** Variables that make a worker see exactly this card, as device 0. */
  readonly environment: Readonly<Record<string, string>>;
  /** Compute mode other than Default lets one process at a time use the card: no two live arms. */
  readonly exclusive: boolean;
  /** Free bytes now; null where not reported. */
  freeBytes(): Promise<number | null>;
  /** Before the turns of a restart begin, or before a worker starts. */
  snapshot(): Promise<GpuSnapshot>;
  /** Right after the turns end, while the workers still live. */
  judge(before: GpuSnapshot, ownPids: readonly number[]): Promise<RestartHealth>;
  /** Memory of one live worker; `idle` was taken before it started. Null where it cannot be read. */
  processMemory(pid: number, idle: GpuSnapshot): Promise<GpuMemoryReading | null>;
  /** How memory has been read so far, the definition of memory.gpu.*; null before the first reading. */
  memoryDefinition(): GpuMemoryDefinition | null;
}

/** A counter may grow by this share of the window before the restart is invalid; DESIGN §5 "Faults". */
export const THROTTLE_SHARE = 0.01;
/** Share of windows with an active power cap from which chunks become 1 s; DESIGN §5 "Faults". */
export const POWER_CAP_WINDOWS = 0.1;
/** Turns on a power-capped card, so that clocks can follow. */
export const POWER_CAPPED_CHUNK_MS = 1000;

const THROTTLES = [
  ['hwThermalUs', 'hardware thermal slowdown'],
  ['hwPowerBrakeUs', 'power brake of the power supply'],
  ['swThermalUs', 'thermal throttling'],
] as const;

const HW_SLOWDOWN_BITS = 0x8 | 0x40 | 0x80;

/**
 * Judges one restart from the card's state at both ends of its window. Heat, power brake, strangers and memory
 * faults make it invalid; a software power cap is the steady state of many cards and only noted.
 */
export function judgeHealth(before: GpuSnapshot, after: GpuSnapshot, ownPids: readonly number[]): RestartHealth {
  const windowUs = Math.max(1, (after.takenAtMs - before.takenAtMs) * 1000);
  const faults = [
    ...throttleFaults(before.device, after.device, windowUs),
    ...strangers(before, after, ownPids),
    ...eccFaults(before.device, after.device),
    ...identityFaults(before.device, after.device),
  ];
  const powerCapShare = counterShare(before.device.counters.swPowerCapUs, after.device.counters.swPowerCapUs, windowUs);
  const remarks =
    powerCapShare !== null && powerCapShare > THROTTLE_SHARE
      ? [`the power limit held clocks down in ${percent(powerCapShare)} of the window`]
      : [];
  return { valid: faults.length === 0, notes: [...faults, ...remarks], powerCapShare, facts: loadFacts(after.device) };
}

/** Whether the power cap was active in so many restarts that turns must be 1 s long for clocks to follow. */
export function needsLongChunks(restarts: readonly RestartHealth[]): boolean {
  const capped = restarts.filter((restart) => (restart.powerCapShare ?? 0) > THROTTLE_SHARE).length;
  return restarts.length > 0 && capped / restarts.length > POWER_CAP_WINDOWS;
}

function throttleFaults(before: GpuDevice, after: GpuDevice, windowUs: number): string[] {
  const byCounter = THROTTLES.flatMap(([counter, label]) => {
    const share = counterShare(before.counters[counter], after.counters[counter], windowUs);
    return share !== null && share > THROTTLE_SHARE ? [`${label} in ${percent(share)} of the window`] : [];
  });
  if (byCounter.length > 0) return byCounter;
  // Drivers without counters, and slowdowns without one: the flags at both ends are all there is.
  const active = (before.activeReasons ?? 0) | (after.activeReasons ?? 0);
  if ((active & HW_SLOWDOWN_BITS) !== 0) return ['hardware slowdown was active at an end of the window'];
  const countersAbsent = after.counters.swThermalUs === null;
  return countersAbsent && (active & 0x20) !== 0 ? ['thermal throttling was active at an end of the window'] : [];
}

/** Growth of a microsecond counter as a share of the window; null where either end is absent or it was reset. */
function counterShare(before: number | null, after: number | null, windowUs: number): number | null {
  if (before === null || after === null || after < before) return null;
  return Math.min(1, (after - before) / windowUs);
}

/**
 * Processes on the card that are not ours, at either end. In a container the list holds host pids, so ours are not
 * found in it: then only a list longer than our workers proves a stranger.
 */
function strangers(before: GpuSnapshot, after: GpuSnapshot, ownPids: readonly number[]): string[] {
  const atEnd = clients(after);
  const listed = [...new Set([...clients(before), ...atEnd])];
  const oursSeen = ownPids.length === 0 || atEnd.some((pid) => ownPids.includes(pid));
  const foreign = listed.filter((pid) => !ownPids.includes(pid));
  if (oursSeen)
    return foreign.length === 0 ? [] : [`another compute process uses the card (pid ${foreign.join(', ')})`];
  return atEnd.length > ownPids.length
    ? [`${atEnd.length} compute processes use the card, ${ownPids.length} of them ours`]
    : [];
}

function clients(snapshot: GpuSnapshot): number[] {
  return (snapshot.apps ?? []).filter((app) => !isMpsServer(app)).map((app) => app.pid);
}

/** The multi-process service's own daemon appears as a client of the card. */
export function isMpsServer(app: ComputeApp): boolean {
  return app.name.endsWith('nvidia-cuda-mps-server');
}

function eccFaults(before: GpuDevice, after: GpuDevice): string[] {
  const grown = (after.eccUncorrected ?? 0) - (before.eccUncorrected ?? 0);
  return grown > 0 ? [`${grown} uncorrected memory error(s) on the card`] : [];
}

function identityFaults(before: GpuDevice, after: GpuDevice): string[] {
  if (before.uuid !== after.uuid) return ['the card changed while measuring'];
  if (before.migEnabled !== after.migEnabled) return ['MIG mode was switched while measuring'];
  const asksRecovery = after.recoveryAction !== null && after.recoveryAction !== before.recoveryAction;
  return asksRecovery ? [`the card failed: its driver now asks for "${after.recoveryAction}"`] : [];
}

function loadFacts(device: GpuDevice): Record<string, number> {
  const facts = {
    'gpu.clockSmMHz': device.clockSmMHz,
    'gpu.temperatureC': device.temperatureC,
    'gpu.powerW': device.powerW,
    'pcie.generation': device.pcieGeneration,
    'pcie.width': device.pcieWidth,
  };
  return Object.fromEntries(Object.entries(facts).filter((entry): entry is [string, number] => entry[1] !== null));
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;
}
