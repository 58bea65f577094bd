import type { MigSlice } from './gpu-mig.ts';
import type { GpuDevice } from './gpu-query.ts';

/** The card, or the slice of a card, that workers are to see. */
export interface SelectedGpu {
  readonly device: GpuDevice;
  readonly slice: MigSlice | null;
}

/** The selected card, or why there is none, in one line. */
export type GpuSelection = { readonly selected: SelectedGpu } | { readonly unavailable: string };

/**
 * Chooses the card: number `deviceId` among those visible, in PCI order as nvidia-smi counts. `visible` is
 * CUDA_VISIBLE_DEVICES as the job was given it; numbers in it are read in PCI order too.
 */
export function selectGpu(
  devices: readonly GpuDevice[],
  slices: readonly MigSlice[],
  visible: string | undefined,
  deviceId: number,
): GpuSelection {
  const cards = devices.toSorted((left, right) => left.index - right.index);
  const candidates =
    visible === undefined ? cards.flatMap((card) => targets(card, slices)) : listed(cards, slices, visible);
  const selected = candidates[deviceId];
  if (selected !== undefined) return { selected };
  if (candidates.length > 0) {
    return {
      unavailable: `device-id ${deviceId} asks for a GPU that is not there: ${candidates.length} visible, counted from 0`,
    };
  }
  if (visible !== undefined) {
    return {
      unavailable: `CUDA_VISIBLE_DEVICES names none of the ${devices.length} GPUs that nvidia-smi lists: unset it or give an UUID of "nvidia-smi -L"`,
    };
  }
  return {
    unavailable: 'MIG mode is on but no instance exists: create one (nvidia-smi mig -cgi … -C) or switch MIG off',
  };
}

/** Variables that make CUDA see exactly the selected card, as device 0, counted as nvidia-smi does. */
export function workerEnvironment({ device, slice }: SelectedGpu): Record<string, string> {
  return { CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: slice?.uuid ?? device.uuid };
}

function targets(device: GpuDevice, slices: readonly MigSlice[]): SelectedGpu[] {
  if (device.migEnabled !== true) return [{ device, slice: null }];
  return slices.filter((slice) => slice.parentUuid === device.uuid).map((slice) => ({ device, slice }));
}

/** CUDA stops reading the list at the first entry it does not know. */
function listed(cards: readonly GpuDevice[], slices: readonly MigSlice[], visible: string): SelectedGpu[] {
  const found: SelectedGpu[] = [];
  for (const name of visible.split(',').map((entry) => entry.trim())) {
    const target = named(cards, slices, name);
    if (target === undefined) break;
    found.push(target);
  }
  return found;
}

function named(cards: readonly GpuDevice[], slices: readonly MigSlice[], name: string): SelectedGpu | undefined {
  if (/^\d+$/.test(name)) {
    const card = cards.find((device) => device.index === Number(name));
    return card && targets(card, slices)[0];
  }
  if (name.startsWith('MIG-')) {
    const slice = slices.find((candidate) => candidate.uuid.startsWith(name));
    const device = cards.find((card) => card.uuid === slice?.parentUuid);
    return slice && device && { device, slice };
  }
  const device = name.startsWith('GPU-') ? cards.find((card) => card.uuid.startsWith(name)) : undefined;
  return device && targets(device, slices)[0];
}
