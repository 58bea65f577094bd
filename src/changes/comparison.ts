import type { GateConfig } from '../inputs/gate-config.ts';
import type { BaseRevision, NamedModel } from './change-set.ts';
import { type FileChange, touchedPaths } from './file-change.ts';
import { nameModels } from './name-models.ts';

/** A base commit seen from the work tree. */
export interface Comparison {
  readonly base: BaseRevision;
  /** Every file of the base commit. */
  readonly files: readonly string[];
  /** Base's config; null where it is faulty, then head's stands in. */
  readonly config: GateConfig | null;
  /** From the base commit to the work tree. */
  readonly changes: readonly FileChange[];
}

/** A comparison with its look-ups. */
export interface IndexedComparison extends Comparison {
  readonly models: readonly NamedModel[];
  readonly has: (path: string) => boolean;
  readonly changeOf: (path: string) => FileChange | undefined;
  /** Paths that differ, the old ones of renames among them. */
  readonly touched: ReadonlySet<string>;
}

/** Names base's models by base's own config, or by head's where base's is faulty. */
export function indexComparison(comparison: Comparison, headConfig: GateConfig): IndexedComparison {
  const files = new Set(comparison.files);
  const changes = new Map(comparison.changes.map((change) => [change.path, change]));
  return {
    ...comparison,
    models: nameModels(comparison.config ?? headConfig, comparison.files),
    has: (path) => files.has(path),
    changeOf: (path) => changes.get(path),
    touched: new Set(comparison.changes.flatMap(touchedPaths)),
  };
}

/** The model as base knows it: by its id, else by its file, else by the file it was renamed from. */
export function baseModelOf(model: NamedModel, comparison: IndexedComparison): NamedModel | undefined {
  const byPath = (path: string | null | undefined) =>
    path == null ? undefined : comparison.models.find((entry) => entry.path === path);
  const renamedFrom = model.path === undefined ? null : comparison.changeOf(model.path)?.oldPath;
  return comparison.models.find((entry) => entry.id === model.id) ?? byPath(model.path) ?? byPath(renamedFrom);
}

/** The file base has for a model; null where it has none. */
export function basePathOf(
  model: NamedModel,
  known: NamedModel | undefined,
  comparison: IndexedComparison,
): string | null {
  const candidates = [known?.path, comparison.changeOf(model.path ?? '')?.oldPath, model.path];
  return candidates.find((path): path is string => path != null && comparison.has(path)) ?? null;
}
