import { type GpuSnapshot, isMpsServer } from './gpu-health.ts';
import type { GpuDevice } from './gpu-query.ts';
import type { SelectedGpu } from './gpu-select.ts';

const GIB = 2 ** 30;

/** Facts that make numbers incomparable; DESIGN §3 "Class". Absent ones are null. */
export function gpuClassFacts({ device, slice }: SelectedGpu): Record<string, string | number | null> {
  return {
    'gpu.name': device.name,
    // One card is measured at a time: workers see exactly this one.
    'gpu.count': 1,
    'gpu.memoryGiB': device.memoryTotalBytes === null ? null : Math.round(device.memoryTotalBytes / GIB),
    'mig.profile': slice?.profile ?? null,
    'power.limitW': device.powerLimitW === null ? null : Math.round(device.powerLimitW / 5) * 5,
    'driver.major': major(device.driver),
  };
}

/** Facts that are recorded and shown where they differ, but make nothing incomparable. */
export function gpuRecordFacts(
  { device, slice }: SelectedGpu,
  visible: number,
): Record<string, string | number | boolean | null> {
  return {
    'gpu.uuid': slice?.uuid ?? device.uuid,
    'gpu.visible': visible,
    'gpu.computeCapability': device.computeCapability,
    'gpu.clockMaxSmMHz': device.clockMaxSmMHz,
    'gpu.clockMaxMemoryMHz': device.clockMaxMemoryMHz,
    'gpu.persistence': device.persistence,
    'gpu.computeMode': device.computeMode,
    'gpu.ecc': device.eccEnabled,
    'driver.version': device.driver,
    'gpu.throttleCounters': device.counters.hwThermalUs !== null,
  };
}

/** What a reader should know about the card before trusting its numbers; empty for a well-kept one. */
export function gpuSettingNotes({ device, apps }: GpuSnapshot, isSlice: boolean): string[] {
  return [
    isJustWoken(device, apps?.length ?? 0) &&
      'the driver had just woken this card (persistence mode is off): its first readings show a load that is not there',
    device.persistence === false &&
      'persistence mode is off: the first start pays for loading the driver (nvidia-smi -pm 1)',
    isSlice && 'the slices of a MIG card share power and clocks: a busy neighbour is not visible from here',
    apps === null && 'the list of compute processes cannot be read: other users of the card would not be seen',
    apps?.some(isMpsServer) && 'the multi-process service (MPS) runs on this card: clients share its compute units',
    device.counters.hwThermalUs === null &&
      'this driver has no throttle counters: heat is judged by the flags before and after each restart',
    (device.eccUncorrected ?? 0) > 0 &&
      `${device.eccUncorrected} uncorrected memory error(s) since the driver was loaded: let the card be checked`,
  ].filter((note) => typeof note === 'string');
}

/** Why the card must not be measured on, in one line; null for a healthy one. */
export function sickness(device: GpuDevice): string | null {
  if (device.computeMode === 'Prohibited') {
    return 'the card forbids compute processes: nvidia-smi -c DEFAULT allows them';
  }
  return device.recoveryAction === null || device.recoveryAction === 'None'
    ? null
    : `the driver asks for a recovery of the card ("${device.recoveryAction}"): do it, then run again`;
}

/** A card without persistence reports full load and full clocks for a moment after its driver was loaded. */
export function isJustWoken(device: GpuDevice, processes: number): boolean {
  return device.persistence === false && processes === 0 && (device.utilization ?? 0) >= 50;
}

function major(driver: string): number | null {
  const match = /^(\d+)\./.exec(driver);
  return match === null ? null : Number(match[1]);
}
