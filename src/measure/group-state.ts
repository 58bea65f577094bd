import type { ArmName, CaseGroup, CaseSpec } from '../plan/plan.ts';
import type { Effort, EffortSettings } from './effort.ts';
import type { RestartHealth } from './gpu-health.ts';
import type { Note } from './measurement.ts';
import type { Mode } from './measurer.ts';
import type { MeasurerOptions, WorkerTimeouts } from './measurer-options.ts';
import type { StoredPool } from './pool-file.ts';
import { mayRunOnNvidia } from './provider-check.ts';
import type { ArmFiles } from './staging.ts';

/** A value for each arm that exists: a new model has no base. */
export type PerArm<T> = Readonly<Partial<Record<ArmName, T>>>;

/** What all groups share. */
export interface Workshop {
  readonly options: MeasurerOptions;
  readonly timeouts: WorkerTimeouts;
  readonly effort: EffortSettings;
  /** Threads of sessions whose config names none. */
  readonly threads: number;
  /** Processors of the quota; null without one. */
  readonly quotaCpus: number | null;
  /** 0 without a quota. */
  readonly quotaPeriodMs: number;
  /** Runs workers: pins them to the cores both arms share, where that is of use. */
  readonly launcher: readonly string[];
  /** Peaks of empty sessions by runtime and provider, read once. */
  readonly emptyPeaks: Map<string, number>;
  readonly notes: readonly Note[];
}

/** One case as fixed by the preparation. */
export interface CaseState {
  readonly spec: CaseSpec;
  effort: Effort;
  /** Iterations dropped from each turn; null until the first restart has fixed it. */
  discard: number | null;
  readonly latencyMs: number;
  /** Each arm's median in the last restart that gave one: steadier than what the priming found. */
  medianMs?: PerArm<number>;
  /** Distinct feeds that both arms cycle. */
  readonly pool: StoredPool;
  readonly fetch: PerArm<readonly string[]>;
  /** Identity models with the arm's inputs and fetched outputs. */
  readonly floors: PerArm<string>;
  readonly metrics: ReadonlySet<string>;
  /** Log ratios of rounds of every restart so far: they tell how many rounds later ones need. */
  readonly logRatios: number[][];
}

/** A group between preparation and finish. */
export interface GroupState {
  readonly group: CaseGroup;
  readonly directory: string;
  files: PerArm<ArmFiles>;
  epoch: number;
  mode: Mode;
  spinning: 'engine-default' | 'off';
  /** Peak of a process with an empty session, subtracted from every peak. */
  emptyPeakBytes: number;
  /** Feeds of the unmeasured starts, by case id. */
  readonly primingPools: Map<string, StoredPool>;
  readonly cases: Map<string, CaseState>;
  readonly healths: RestartHealth[];
  /** How often head was started alone after a failure; bounded, as each may take a timeout. */
  confirmations: number;
}

/** Arms that exist in a group, base first. */
export function armsOf(group: CaseGroup): ArmName[] {
  return group.base ? ['base', 'head'] : ['head'];
}

/** Whether the group's provider may run on the card that `gpu` watches, where one is. */
export function usesGpu(provider: string): boolean {
  return mayRunOnNvidia(provider);
}
