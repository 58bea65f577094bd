import type { Agreement } from '../compare/agreement.ts';
import type { Environment } from '../measure/measurement.ts';

export const DOCTOR_SCHEMA = 'model-gate/doctor@1';

/** What was found, or why it was not, in one line. */
export type Finding<T> = T | { readonly fault: string };

/** What a machine can be trusted with. */
export interface DoctorReport {
  readonly schema: typeof DOCTOR_SCHEMA;
  readonly version: string;
  readonly environment: Environment;
  /** Threads of a session whose config names none, and the processors both arms are pinned to; null where they are not. */
  readonly threads: number;
  readonly pinned: readonly number[] | null;
  readonly engine: Finding<DoctorEngine>;
  readonly providers: readonly DoctorProvider[];
  readonly gpu: Finding<DoctorGpu>;
  readonly baselines: readonly DoctorBaseline[];
  readonly trial: Finding<DoctorTrial>;
  /** What to mend, most important first. */
  readonly advice: readonly string[];
}

export interface DoctorEngine {
  readonly version: string;
  readonly source: string;
  readonly dir: string;
  readonly digest: string;
}

export interface DoctorProvider {
  readonly name: string;
  /** Why no session can be created on it; null where one was. */
  readonly fault: string | null;
}

export interface DoctorGpu {
  readonly name: string;
  readonly uuid: string;
  readonly driver: string;
  /** Why the CUDA provider cannot run on this driver; null where it can. */
  readonly driverFault: string | null;
  readonly temperatureC: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryTotalBytes: number | null;
  readonly powerLimitW: number | null;
  readonly clockMHz: number | null;
  readonly clockMaxMHz: number | null;
  /** Clocks at the end of the trial's restarts. */
  readonly clocksUnderLoadMHz: readonly number[];
  /** Compute processes before anything of ours; null where the list is refused. */
  readonly processes:
    | readonly { readonly pid: number; readonly name: string; readonly usedBytes: number | null }[]
    | null;
  readonly notes: readonly string[];
  /** Why the card is not or not wholly locked against other jobs. */
  readonly lockCaveats: readonly string[];
}

/** A stored baseline file. */
export interface DoctorBaseline {
  readonly path: string;
  readonly model: string;
  readonly machine: string;
  readonly sessions: number;
  readonly newest: string | null;
  /** Whether numbers of this machine would be compared with it. */
  readonly isOfThisClass: boolean;
  readonly fault: string | null;
}

/** Two copies of one model against each other. */
export interface DoctorTrial {
  readonly model: string;
  readonly case: string;
  readonly provider: string;
  readonly providerNote: string | null;
  readonly seconds: number;
  readonly mode: string;
  readonly margin: number;
  readonly agreement: Agreement | null;
  readonly invalidRestarts: number;
  readonly invalidReasons: readonly string[];
  /** p50 where one feed is repeated, canonical unit; null where it was not measured. */
  readonly oneFeed: number | null;
  /** Median share of the time that is the cost of the call; null where not measured. */
  readonly floorShare: number | null;
  readonly notes: readonly string[];
}

/** Whether a part could not be found. */
export function isFault<T extends object>(finding: Finding<T>): finding is { readonly fault: string } {
  return 'fault' in finding;
}

/** Why nothing can be measured here, in one line; null where it can. */
export function impossibility({ engine, trial }: Pick<DoctorReport, 'engine' | 'trial'>): string | null {
  if (isFault(engine)) return engine.fault;
  if (isFault(trial)) return trial.fault;
  return trial.agreement === null ? 'the trial gave no comparable restarts' : null;
}
