import type { HeadRevision } from './change-set.ts';
import type { ExternalFiles } from './changed-model.ts';
import type { Comparison } from './comparison.ts';
import type { ReadPolicies } from './policies.ts';

export interface HeadTree {
  readonly revision: HeadRevision;
  /** Every file that git tracks or would, and the files that the config names though git ignores them. */
  readonly files: readonly string[];
  /** Those of `files` that git ignores. */
  readonly ignored: readonly string[];
}

export interface Selection {
  /** `all` for a launch: every model is gated, changed or not. */
  readonly models: 'changed' | 'all';
  /** Ids or globs of paths that narrow what is gated; empty for no narrowing. */
  readonly filter: readonly string[];
}

export interface DetectionInput {
  readonly head: HeadTree;
  readonly policies: ReadPolicies;
  readonly configPath: string;
  /** Null where there is no base: every model is new. */
  readonly comparison: Comparison | null;
  /** Bases of single models by id, where each has its own last accepted commit. */
  readonly ownComparisons: ReadonlyMap<string, Comparison>;
  readonly externalFiles: ExternalFiles;
  readonly selection: Selection;
}
