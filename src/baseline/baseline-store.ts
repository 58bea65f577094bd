import type { Baseline } from './baseline-schema.ts';

/** Which baseline: a model in an environment class; both opaque strings. */
export interface BaselineAddress {
  readonly model: string;
  readonly class: string;
}

/** A stored file as it lies there, unjudged: `list` and `verify` show broken ones instead of stopping. */
export interface StoredFile {
  /** Path in the store, as `baselines/ranker/9a1b….json`. */
  readonly path: string;
  readonly text: string;
}

/**
 * A pure change of one baseline: the new one, null to delete it, or the very object given to leave it.
 * It runs again on fresh content when another writer was faster, so it must be idempotent.
 */
export type BaselineChange = (current: Baseline | null) => Baseline | null;

export interface AddressedChange {
  readonly address: BaselineAddress;
  readonly change: BaselineChange;
}

export interface WriteReport {
  /** Paths written or deleted; empty where everything was there already. */
  readonly written: readonly string[];
  /** Pushes tried (branch store), 1 otherwise. */
  readonly attempts: number;
  /** The store's commit after the write (branch store), else null. */
  readonly commit: string | null;
}

/** Accepted measurements of every model × class: the directory store and the branch store. */
export interface BaselineStore {
  readonly kind: 'directory' | 'branch';
  /** For people, as `branch model-gate-baselines of origin`. */
  readonly place: string;
  /**
   * The baseline at `address`, or null where there is none.
   * @throws RefusedError for a broken, newer or misplaced file; NoVerdictError where the store can't be reached.
   */
  read(address: BaselineAddress): Promise<Baseline | null>;
  /** Every file of one model (all classes), or of all models where `model` is null. */
  files(model: string | null): Promise<readonly StoredFile[]>;
  /**
   * Applies all changes at once: all are written, or none.
   * @throws RefusedError naming the missing permission, the protection or the broken file; nothing is written then.
   */
  update(changes: readonly AddressedChange[], message: string): Promise<WriteReport>;
}
