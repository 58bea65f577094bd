import { XMLParser } from 'fast-xml-parser';
import { z } from 'zod';

/** One MIG slice as `nvidia-smi -L` lists it. */
export interface MigSlice {
  readonly uuid: string;
  /** As `3g.40gb`. */
  readonly profile: string;
  /** Position among the slices of its card. */
  readonly index: number;
  readonly parentUuid: string;
}

/** Memory and processes of one slice; only the XML form of `nvidia-smi -q` tells them apart by slice. */
export interface MigSliceState {
  readonly usedBytes: number | null;
  readonly freeBytes: number | null;
  readonly pids: readonly number[];
}

const GPU_LINE = /^GPU \d+: .*\(UUID: (GPU-[^)]+)\)/;
const MIG_LINE = /^\s+MIG (\S+)\s+Device\s+(\d+):\s+\(UUID: (MIG-[^)]+)\)/;

/** Slices from the text of `nvidia-smi -L`, in its order. */
export function parseMigSlices(list: string): MigSlice[] {
  let parentUuid = '';
  return list.split(/\r?\n/).flatMap((line) => {
    parentUuid = GPU_LINE.exec(line)?.[1] ?? parentUuid;
    const [, profile, index, uuid] = MIG_LINE.exec(line) ?? [];
    return profile === undefined || uuid === undefined ? [] : [{ uuid, profile, index: Number(index), parentUuid }];
  });
}

const many = <T extends z.ZodType>(item: T) =>
  z.preprocess(
    (value) => (Array.isArray(value) ? value : typeof value === 'object' && value ? [value] : []),
    z.array(item),
  );

const logSchema = z.object({
  nvidia_smi_log: z.object({
    gpu: many(
      z.object({
        uuid: z.string(),
        mig_devices: z
          .preprocess(
            (value) => (typeof value === 'object' && value ? value : {}),
            z.object({
              mig_device: many(
                z.object({
                  index: z.string(),
                  gpu_instance_id: z.string(),
                  compute_instance_id: z.string(),
                  fb_memory_usage: z.object({ used: z.string(), free: z.string() }),
                }),
              ).optional(),
            }),
          )
          .optional(),
        processes: z
          .preprocess(
            (value) => (typeof value === 'object' && value ? value : {}),
            z.object({
              process_info: many(
                z.object({
                  gpu_instance_id: z.string().optional(),
                  compute_instance_id: z.string().optional(),
                  pid: z.string(),
                }),
              ).optional(),
            }),
          )
          .optional(),
      }),
    ),
  }),
});

/** State of one slice from `nvidia-smi -q -x`; null where the text is not such a log or the slice is not in it. */
export function parseMigSliceState(xml: string, slice: MigSlice): MigSliceState | null {
  const log = logSchema.safeParse(readXml(xml));
  if (!log.success) return null;
  const card = log.data.nvidia_smi_log.gpu.find((gpu) => gpu.uuid === slice.parentUuid);
  const device = card?.mig_devices?.mig_device?.find((mig) => mig.index === String(slice.index));
  if (card === undefined || device === undefined) return null;
  const inSlice = (card.processes?.process_info ?? []).filter(
    (process) =>
      process.gpu_instance_id === device.gpu_instance_id && process.compute_instance_id === device.compute_instance_id,
  );
  return {
    usedBytes: mebibytes(device.fb_memory_usage.used),
    freeBytes: mebibytes(device.fb_memory_usage.free),
    pids: inSlice.map((process) => Number(process.pid)),
  };
}

function readXml(xml: string): unknown {
  try {
    return new XMLParser({ parseTagValue: false }).parse(xml);
  } catch {
    return null;
  }
}

function mebibytes(text: string): number | null {
  const match = /^(\d+) MiB$/.exec(text);
  return match === null ? null : Number(match[1]) * 2 ** 20;
}
