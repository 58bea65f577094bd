import type { SessionGroup } from './baseline/baseline-commands.ts';
import type { Baseline, StoredSession } from './baseline/baseline-schema.ts';
import type { WriteReport } from './baseline/baseline-store.ts';
import type { ChangedModel, ChangeSet } from './changes/change-set.ts';
import type { EarlierFiles } from './earlier-attempt.ts';
import type { Progress } from './gate-models.ts';
import type { AskedDevice, Bench, Machine } from './measure/bench.ts';
import type { Fault } from './measure/measurement.ts';
import type { CaseGroup } from './plan/plan.ts';
import type { ReadyModel } from './plan/plan-groups.ts';
import type { Publisher } from './publish/publisher.ts';

/** Both arms of a changed model at hand, or why they are not. */
export type ReadArms =
  | { readonly kind: 'ready'; readonly model: ReadyModel }
  | { readonly kind: 'fault'; readonly fault: Fault };

/** What is accepted, and the way to accept more. */
export interface Baselines {
  /** All baselines of a model, one a machine class. @throws RefusedError for a broken file. */
  read(model: string): Promise<readonly Baseline[]>;
  /** The change's head against the model of an accepted session, its bytes from git; a fault where they can't be had. */
  readAccepted(change: ChangedModel, ready: ReadyModel, accepted: StoredSession): Promise<ReadArms>;
  /** What passes here becomes a session: a push to the default branch, with the branch store. */
  readonly isStoring: boolean;
  /** Whether the reference workload is worth its seconds: where this run's files may become a session. */
  readonly measuresReference: boolean;
  /** Stores what passed, where `isStoring`. @throws RefusedError or NoVerdictError where that fails. */
  store(groups: readonly SessionGroup[]): Promise<WriteReport | null>;
}

/** What the story needs from the world. */
export interface Edges {
  readonly toolVersion: string;
  readonly nowMs: () => number;
  readonly newSession: () => string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** What the change touches: config of both sides, models, where each arm's bytes come from. */
  findChanges(): Promise<ChangeSet>;
  /** Those that hold for the change; called after `findChanges`. */
  openBaselines(): Promise<Baselines>;
  /** Files that an earlier run left in the results folder; null where there are none that can be trusted. */
  readEarlier(): Promise<EarlierFiles | null>;
  /** Brings both arms' bytes to disk and reads them; a build that fails is a fault, not an exception. */
  readArms(change: ChangedModel): Promise<ReadArms>;
  /** This machine as these models may use it. */
  inspectMachine(models: readonly AskedDevice[]): Promise<Machine>;
  /** A measurer for these groups: the runtime is found, the device locked until `release`. */
  openMeasurer(groups: readonly CaseGroup[]): Promise<Bench>;
  /** Writes result files into the output folder; returns the path of each by name. */
  saveFiles(files: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>>;
  readonly publisher: Publisher | null;
}
