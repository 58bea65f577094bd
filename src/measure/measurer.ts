import type { CaseGroup } from '../plan/plan.ts';
import type { Fault, Note, Restart, SoloRuns } from './measurement.ts';

/** How both arms were run against each other. */
export type Mode = 'duet' | 'inproc' | 'pairs';

/** What a group's preparation (staging, priming starts, output comparison) found. */
export interface Preparation {
  readonly mode: Mode;
  /** Metric ids the effort can reach for each case id; the rest are named with the reason. */
  readonly metrics: Readonly<Record<string, readonly string[]>>;
  readonly unreachable: readonly { readonly case: string; readonly metric: string; readonly reason: string }[];
  /** Expected seconds of one restart of the whole group, for the plan's predicted minutes. */
  readonly secondsPerRestart: number;
  readonly notes: readonly Note[];
  /** Deterministic values of both arms, compared plainly: model.size, memory.arena.peak, ep.coverage, output.*. */
  readonly plain: Readonly<
    Record<string, { readonly base: Record<string, number> | null; readonly head: Record<string, number> }>
  >;
  /** How metrics were read where the table leaves it open, as `gpu-own-process@1`; by metric id. */
  readonly definitions?: Readonly<Record<string, string>>;
  /** Processor time over wall time while preparing on a CPU: below 0.9 others used the processors. */
  readonly processorShare?: number;
  /** Set where nothing more can be measured. */
  readonly fault: Fault | null;
  /** Runtime, provider libraries and options of each arm, as shown under "what changed". */
  readonly armFacts: {
    readonly base: Record<string, string | number | boolean | null> | null;
    readonly head: Record<string, string | number | boolean | null>;
  };
}

/** Both arms of one restart, by case id. `base` is null for a new model. */
export interface RestartPair {
  readonly base: Restart | null;
  readonly head: Restart;
}

export interface RestartResult {
  readonly pairs: Readonly<Record<string, RestartPair>>;
  readonly notes: readonly Note[];
  /** Set where the group must stop: two fresh solo starts of head failed while base runs, or nothing can run. */
  readonly fault: Fault | null;
}

/** The seam between the engine and the world: the real one starts workers, the fake one is scripted. */
export interface Measurer {
  /** Stages both arms, starts each once unmeasured, reads memory, compares outputs, fixes the effort. */
  prepare(group: CaseGroup): Promise<Preparation>;
  /** Runs restart `index` for the cases still undecided. */
  restart(group: CaseGroup, index: number, caseIds: readonly string[]): Promise<RestartResult>;
  /** Whether the card ran at its power limit so often that turns hide what a difference in power draw costs. */
  needsSoloPass?(group: CaseGroup): boolean;
  /** Runs each arm of the named cases alone, some times in an order by coin; cases without a usable run are left out. */
  soloPass?(group: CaseGroup, caseIds: readonly string[]): Promise<Readonly<Record<string, SoloRuns>>>;
  /** Stops the group's processes and removes its staged files. */
  finish(group: CaseGroup): Promise<void>;
}
