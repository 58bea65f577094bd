import type { GateConfig, ModelConfig } from '../inputs/gate-config.ts';

/** A sentence for the report with a stable code; the shape of a measurement's note. */
export interface ChangeNote {
  readonly code: string;
  readonly text: string;
  readonly headline?: boolean;
}

/** A model entry of the config after globs and defaults: its id is known. */
export type NamedModel = ModelConfig & { readonly id: string };

/** What is accepted today; `describe` says in words where it comes from, for reports. */
export interface BaseRevision {
  readonly commit: string;
  readonly describe: string;
}

/** The work tree as checked out. */
export interface HeadRevision {
  readonly commit: string;
  readonly describe: string;
  /** Files differ from the commit: a local run, or a step that wrote before the gate. */
  readonly dirty: boolean;
}

/** Where an arm's model comes from. Repository paths are relative with "/"; other paths as the user gave them. */
export type ArmSource =
  | { readonly kind: 'work-tree'; readonly path: string }
  | { readonly kind: 'commit'; readonly commit: string; readonly path: string }
  | { readonly kind: 'file'; readonly path: string }
  | {
      readonly kind: 'prepare';
      /** The checkout the command runs in: a worktree of this commit, or null for the work tree itself. */
      readonly commit: string | null;
      readonly command: string;
      /** Replaces `{model}`; null where the config names no `path`. */
      readonly path: string | null;
    };

/** Why a model is gated. `requested`: a launch, or a comparison against a named file. */
export type ChangeReason =
  | 'added'
  | 'modified'
  | 'renamed'
  | 'external-data'
  | 'config'
  | 'watch'
  | 'base-file'
  | 'requested';

export interface ChangedModel {
  readonly id: string;
  /** Path in the repository, or the id of a built model: for people. */
  readonly path: string;
  readonly reasons: readonly ChangeReason[];
  /** Id under which base knew this model where it differs; baselines are stored under it. */
  readonly previousId: string | null;
  /** Null for a new model. */
  readonly base: ArmSource | null;
  readonly head: ArmSource;
  /** The model's section as base's policy has it; head's where base does not list the model. */
  readonly baseConfig: NamedModel;
  readonly headConfig: NamedModel;
  /** `base`: head's config no longer lists it, so it is measured for base's policy alone. */
  readonly listedBy: 'head' | 'base';
}

/** The policies to judge by, with every model named. `base` is null where it does not differ or may not be read. */
export interface Policies {
  /** The one in force: head's, or base's for a fork. */
  readonly inForce: GateConfig;
  /** Base's, to be judged too where the change edits policy; null where both are the same. */
  readonly beforeChange: GateConfig | null;
}

/** What a change touches, before anything is measured. */
export interface ChangeSet {
  readonly base: BaseRevision | null;
  readonly head: HeadRevision;
  readonly models: readonly ChangedModel[];
  /** Ids of models that head no longer has. */
  readonly removed: readonly string[];
  /** Changed files that may change speed without changing a model. */
  readonly speedFiles: readonly string[];
  /** Changed files that decide: the gate's config and stored baselines. */
  readonly policyEdits: readonly string[];
  readonly policies: Policies;
  readonly notes: readonly ChangeNote[];
}
