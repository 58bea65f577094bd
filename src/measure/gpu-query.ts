/** Microseconds since driver load in which clocks were held down, by cause; null where the driver has no counter. */
export interface ThrottleCounters {
  readonly swPowerCapUs: number | null;
  readonly swThermalUs: number | null;
  readonly hwThermalUs: number | null;
  readonly hwPowerBrakeUs: number | null;
}

/** One card as nvidia-smi reports it; null means absent, never zero. */
export interface GpuDevice {
  readonly index: number;
  readonly uuid: string;
  readonly name: string;
  readonly driver: string;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryFreeBytes: number | null;
  readonly powerLimitW: number | null;
  readonly powerW: number | null;
  readonly clockSmMHz: number | null;
  readonly clockMaxSmMHz: number | null;
  readonly clockMaxMemoryMHz: number | null;
  readonly temperatureC: number | null;
  readonly utilization: number | null;
  readonly performanceState: string | null;
  readonly computeMode: string | null;
  readonly persistence: boolean | null;
  readonly migEnabled: boolean | null;
  readonly eccEnabled: boolean | null;
  readonly eccUncorrected: number | null;
  readonly recoveryAction: string | null;
  readonly pcieGeneration: number | null;
  readonly pcieWidth: number | null;
  readonly computeCapability: string | null;
  readonly activeReasons: number | null;
  readonly counters: ThrottleCounters;
}

/** A process with a compute context on a card. */
export interface ComputeApp {
  readonly pid: number;
  readonly name: string;
  readonly usedBytes: number | null;
  readonly gpuUuid: string;
}

const MIB = 2 ** 20;

/** What is asked, with every name a driver may know it by, newest first. */
const FIELDS = {
  index: ['index'],
  uuid: ['uuid', 'gpu_uuid'],
  name: ['name', 'gpu_name'],
  driver: ['driver_version'],
  memoryTotal: ['memory.total'],
  memoryUsed: ['memory.used'],
  memoryFree: ['memory.free'],
  enforcedLimit: ['enforced.power.limit'],
  powerLimit: ['power.limit'],
  powerDraw: ['power.draw.instant', 'power.draw'],
  clockSm: ['clocks.current.sm', 'clocks.sm'],
  clockMaxSm: ['clocks.max.sm'],
  clockMaxMemory: ['clocks.max.memory', 'clocks.max.mem'],
  temperature: ['temperature.gpu'],
  utilization: ['utilization.gpu'],
  pstate: ['pstate'],
  computeMode: ['compute_mode'],
  persistence: ['persistence_mode'],
  mig: ['mig.mode.current'],
  ecc: ['ecc.mode.current'],
  eccUncorrected: ['ecc.errors.uncorrected.volatile.total'],
  recovery: ['gpu_recovery_action'],
  pcieGeneration: ['pcie.link.gen.gpucurrent', 'pcie.link.gen.current'],
  pcieWidth: ['pcie.link.width.current'],
  computeCapability: ['compute_cap'],
  active: ['clocks_event_reasons.active', 'clocks_throttle_reasons.active'],
  swPowerCap: ['clocks_event_reasons_counters.sw_power_cap'],
  swThermal: ['clocks_event_reasons_counters.sw_thermal_slowdown'],
  hwThermal: ['clocks_event_reasons_counters.hw_thermal_slowdown'],
  hwPowerBrake: ['clocks_event_reasons_counters.hw_power_brake_slowdown'],
} as const;

/** Every name that may be asked, for drivers that do not list theirs. */
export const ALL_FIELDS: readonly string[] = Object.values(FIELDS).flat();

/** The columns asked of one driver, by the name it knows. */
export type GpuColumns = readonly { readonly key: keyof typeof FIELDS; readonly field: string }[];

/** Field names a driver supports, from the text of `nvidia-smi --help-query-gpu`; aliases count. */
export function parseFieldHelp(help: string): ReadonlySet<string> {
  const names = help.split(/\r?\n/).filter((line) => line.startsWith('"'));
  return new Set(names.flatMap((line) => Array.from(line.matchAll(/"([A-Za-z0-9_.]+)"/g), (match) => match[1] ?? '')));
}

/** The columns to ask: a wrong name makes the whole query fail, so only supported ones. */
export function chooseColumns(supported: ReadonlySet<string>): GpuColumns {
  return (Object.keys(FIELDS) as (keyof typeof FIELDS)[]).flatMap((key) => {
    const field = FIELDS[key].find((name) => supported.has(name));
    return field === undefined ? [] : [{ key, field }];
  });
}

/** Rows of `--format=csv,noheader,nounits` in the order of `columns`; rows without an UUID are left out. */
export function parseDevices(csv: string, columns: GpuColumns): GpuDevice[] {
  return lines(csv).flatMap((line) => {
    const cells = line.split(', ');
    const row = new Map(columns.map(({ key }, position) => [key, present(cells[position])]));
    const device = readDevice(row);
    return cells.length === columns.length && device !== null ? [device] : [];
  });
}

/** Columns of the process list; the name comes last because it may hold commas. */
export const APP_FIELDS = 'pid,gpu_uuid,used_gpu_memory,process_name';

/** Rows of `--query-compute-apps=<APP_FIELDS> --format=csv,noheader,nounits`. */
export function parseComputeApps(csv: string): ComputeApp[] {
  return lines(csv).flatMap((line) => {
    const [pidText, gpuUuid, used, ...name] = line.split(', ');
    const pid = number(present(pidText));
    return pid === null || gpuUuid === undefined
      ? []
      : [{ pid, gpuUuid, usedBytes: mebibytes(present(used)), name: name.join(', ') }];
  });
}

function readDevice(row: ReadonlyMap<keyof typeof FIELDS, string | null>): GpuDevice | null {
  const text = (key: keyof typeof FIELDS): string | null => row.get(key) ?? null;
  const value = (key: keyof typeof FIELDS): number | null => number(text(key));
  const uuid = text('uuid');
  if (uuid === null) return null;
  return {
    index: value('index') ?? 0,
    uuid,
    name: text('name') ?? 'unknown GPU',
    driver: text('driver') ?? 'unknown',
    memoryTotalBytes: mebibytes(text('memoryTotal')),
    memoryUsedBytes: mebibytes(text('memoryUsed')),
    memoryFreeBytes: mebibytes(text('memoryFree')),
    powerLimitW: value('enforcedLimit') ?? value('powerLimit'),
    powerW: value('powerDraw'),
    clockSmMHz: value('clockSm'),
    clockMaxSmMHz: value('clockMaxSm'),
    clockMaxMemoryMHz: value('clockMaxMemory'),
    temperatureC: value('temperature'),
    utilization: value('utilization'),
    performanceState: text('pstate'),
    computeMode: text('computeMode'),
    persistence: flag(text('persistence')),
    migEnabled: flag(text('mig')),
    eccEnabled: flag(text('ecc')),
    eccUncorrected: value('eccUncorrected'),
    recoveryAction: text('recovery'),
    pcieGeneration: value('pcieGeneration'),
    pcieWidth: value('pcieWidth'),
    computeCapability: text('computeCapability'),
    activeReasons: value('active'),
    counters: {
      swPowerCapUs: value('swPowerCap'),
      swThermalUs: value('swThermal'),
      hwThermalUs: value('hwThermal'),
      hwPowerBrakeUs: value('hwPowerBrake'),
    },
  };
}

function lines(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
}

/** Any bracketed text, `N/A`, `ERR!`, `-` and nothing are absent: a missing sensor is not a zero. */
function present(cell: string | undefined): string | null {
  const text = (cell ?? '').trim();
  return text === '' || text === '-' || text.startsWith('[') || /^(N\/A|ERR!|Not Supported|Unknown Error)$/i.test(text)
    ? null
    : text;
}

/** A number with an optional unit, or a hexadecimal mask. */
function number(text: string | null): number | null {
  return text !== null && /^(-?\d+(\.\d+)?|0x[0-9a-f]+)( \S+)?$/i.test(text) ? Number(text.split(' ')[0]) : null;
}

function mebibytes(text: string | null): number | null {
  const value = number(text);
  return value === null ? null : value * MIB;
}

function flag(text: string | null): boolean | null {
  return text === 'Enabled' || text === 'Disabled' ? text === 'Enabled' : null;
}
