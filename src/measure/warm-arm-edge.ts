import type { ArmName } from '../plan/plan.ts';
import { feedArm, loadArm, poolOf, settleArm } from './arm-worker-edge.ts';
import { memoryCaseOf } from './duet.ts';
import type { GpuSnapshot } from './gpu-health.ts';
import { type CaseState, type GroupState, usesGpu, type Workshop } from './group-state.ts';
import type { ArmReadings } from './restart-values.ts';
import type { Worker } from './worker-process-edge.ts';

/** Most a warm-up may run over its cap by the length of one inference and of waiting for a busy machine. */
const OVERRUN = 10;

/** Readings of one arm, by case id; memory belongs to the largest batch alone. */
export type ReadingsByCase = ReadonlyMap<string, ArmReadings>;

/**
 * Brings one arm from a fresh process to steady state: load, first run, memory, warm-up, case by case. Memory and
 * first inference are read before the other arm starts.
 */
export async function warmArm(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  arm: ArmName,
  visited: readonly CaseState[],
  idle: GpuSnapshot | null,
): Promise<ReadingsByCase> {
  const { ms: loadMs } = await loadArm(shop, state, worker, arm);
  const gpuWeightsBytes = await readGpuBytes(shop, state, worker, idle);
  const readings = new Map<string, ArmReadings>();
  for (const [position, entry] of visited.entries()) {
    const { spec, effort } = entry;
    const fetch = entry.fetch[arm] ?? [];
    const target = { slot: arm, pool: poolOf(arm, spec), fetch };
    const { bytes: poolBytes } = await feedArm(shop, worker, arm, spec, entry.pool);
    const { ms: firstInferenceMs } = await worker.request({ do: 'run', ...target }, shop.timeouts.firstRunMs);
    const isFirst = position === 0;
    const hasMemory = isFirst && spec.id === memoryCaseOf(state.group.cases);
    const peaks = hasMemory ? await readPeaks(shop, state, worker, arm, entry, idle) : null;
    await worker.request(
      { do: 'warmUp', ...target, minMs: effort.warmUpMs, minRuns: 2, capMs: effort.warmUpCapMs },
      shop.timeouts.graceMs + OVERRUN * (effort.warmUpCapMs + 2 * entry.latencyMs),
    );
    readings.set(spec.id, {
      loadMs,
      firstInferenceMs: isFirst ? firstInferenceMs : null,
      hostPeakBytes: peaks ? Math.max(0, peaks.hostBytes - poolBytes - state.emptyPeakBytes) : null,
      gpuPeakBytes: peaks?.gpuBytes ?? null,
      gpuWeightsBytes: hasMemory ? gpuWeightsBytes : null,
      floorMs: null,
    });
  }
  return readings;
}

async function readPeaks(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  arm: ArmName,
  { spec, fetch }: CaseState,
  idle: GpuSnapshot | null,
): Promise<{ hostBytes: number; gpuBytes: number | null }> {
  const afterFirst = await readGpuBytes(shop, state, worker, idle);
  const hostBytes = await settleArm(shop, worker, arm, spec, fetch[arm] ?? []);
  const afterRuns = await readGpuBytes(shop, state, worker, idle);
  const gpuBytes = afterFirst === null || afterRuns === null ? null : Math.max(afterFirst, afterRuns);
  return { hostBytes, gpuBytes };
}

/** Device memory of the worker now; null where the provider has no card or it cannot be read. */
export async function readGpuBytes(
  shop: Workshop,
  state: GroupState,
  worker: Worker,
  idle: GpuSnapshot | null,
): Promise<number | null> {
  if (!idle || !usesGpu(state.group.provider)) return null;
  return (await shop.options.gpu?.processMemory(worker.pid, idle))?.bytes ?? null;
}

/** State of the card before a worker starts; null where the provider has none. */
export async function readIdleGpu(shop: Workshop, state: GroupState): Promise<GpuSnapshot | null> {
  return usesGpu(state.group.provider) ? ((await shop.options.gpu?.snapshot()) ?? null) : null;
}
