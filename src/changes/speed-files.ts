import type { GateConfig } from '../inputs/gate-config.ts';
import type { NamedModel } from './change-set.ts';
import { type FileChange, touchedPaths } from './file-change.ts';
import { matcherOf } from './name-models.ts';

/** Files that may change speed in any repository: images, pinned dependencies, kernels. */
const USUAL_SPEED_FILES = [
  '**/Dockerfile*',
  '**/*.Dockerfile',
  '**/*.lock',
  '**/*-lock.{json,yaml,yml}',
  '**/*.lockb',
  '**/requirements*.txt',
  '**/go.sum',
  '**/*.cu',
  '**/*.cuh',
  '**/*.so',
  '**/*.so.*',
];

/** Changed files that may change speed without changing a model: the usual ones, the config, its `watch`, submodules. */
export function speedFiles(
  changes: readonly FileChange[],
  config: GateConfig,
  models: readonly NamedModel[],
  configPath: string,
): string[] {
  const watched = models.flatMap((model) => (model.prepare === undefined ? (model.watch ?? []) : []));
  const isModel = new Set(models.map((model) => model.path));
  const matches = matcherOf([...USUAL_SPEED_FILES, ...(config.watch ?? []), ...watched]);
  return changes
    .filter((change) => !isModel.has(change.path))
    .filter((change) => change.isSubmodule || touchedPaths(change).some((path) => path === configPath || matches(path)))
    .map((change) => change.path)
    .sort();
}
