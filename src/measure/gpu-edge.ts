import { performance } from 'node:perf_hooks';
import { NoVerdictError } from '../errors.ts';
import type { GpuAbsence } from './gpu-absence.ts';
import { gpuClassFacts, gpuRecordFacts, gpuSettingNotes, sickness } from './gpu-facts.ts';
import { type GpuHealth, type GpuMemoryDefinition, type GpuSnapshot, judgeHealth } from './gpu-health.ts';
import { readProcessMemory } from './gpu-memory.ts';
import type { GpuColumns } from './gpu-query.ts';
import { type SelectedGpu, selectGpu, workerEnvironment } from './gpu-select.ts';
import { Smi, SmiError } from './gpu-smi-edge.ts';

/** Where and how nvidia-smi is asked. */
export interface GpuOptions {
  /** Which of the visible cards, in PCI order. */
  readonly deviceId: number;
  /** The job's environment: PATH finds the tool, CUDA_VISIBLE_DEVICES limits the cards. */
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
}

/** The card to measure on, or why there is none. */
export type GpuProbe = { readonly gpu: GpuHealth } | { readonly absence: GpuAbsence };

/** A first call without persistence loads the driver, which takes seconds on machines with many cards. */
const TIMEOUT_MS = 20_000;

/** Finds the card by nvidia-smi. Never throws for an absent, lost or hanging GPU: that is a result. */
export async function openGpu(options: GpuOptions): Promise<GpuProbe> {
  const smi = new Smi(options.env, options.timeoutMs ?? TIMEOUT_MS);
  try {
    const { columns, devices } = await smi.discover();
    if (devices.length === 0) return { absence: { kind: 'no-device', reason: 'nvidia-smi lists no GPU' } };
    const slices = devices.some((device) => device.migEnabled) ? await smi.slices() : [];
    const selection = selectGpu(devices, slices, options.env['CUDA_VISIBLE_DEVICES'], options.deviceId);
    if ('unavailable' in selection) return { absence: { kind: 'unusable', reason: selection.unavailable } };
    const sick = sickness(selection.selected.device);
    if (sick !== null) return { absence: { kind: 'unusable', reason: sick } };
    return { gpu: await watch(smi, columns, selection.selected, devices.length) };
  } catch (thrown) {
    if (thrown instanceof SmiError) return { absence: thrown.absence };
    throw thrown;
  }
}

async function watch(smi: Smi, columns: GpuColumns, selected: SelectedGpu, visible: number): Promise<GpuHealth> {
  const { device, slice } = selected;
  let definition: GpuMemoryDefinition | null = null;
  const snapshot = async (): Promise<GpuSnapshot> => {
    const [state] = await smi.devices(columns, device.uuid);
    const takenAtMs = performance.now();
    if (state === undefined)
      throw new NoVerdictError('the GPU under measurement disappeared from nvidia-smi: check dmesg');
    const apps = await smi.apps(device.uuid);
    return slice === null ? { takenAtMs, device: state, apps } : smi.narrow({ takenAtMs, device: state, apps }, slice);
  };
  const first = await snapshot();
  return {
    lockKey: device.uuid,
    facts: { ...gpuClassFacts(selected), ...gpuRecordFacts(selected, visible) },
    notes: gpuSettingNotes({ ...first, device }, slice !== null),
    environment: workerEnvironment(selected),
    exclusive: device.computeMode !== null && device.computeMode !== 'Default',
    snapshot,
    freeBytes: async () => (await snapshot()).device.memoryFreeBytes,
    async judge(before, ownPids) {
      try {
        return judgeHealth(before, await snapshot(), ownPids);
      } catch (thrown) {
        if (!(thrown instanceof NoVerdictError)) throw thrown;
        return { valid: false, notes: [thrown.message], powerCapShare: null, facts: {} };
      }
    },
    async processMemory(pid, idle) {
      const reading = readProcessMemory(pid, idle, await snapshot(), definition);
      definition ??= reading?.definition ?? null;
      return reading;
    },
    memoryDefinition: () => definition,
  };
}
