import { posix } from 'node:path';
import type { NamedModel } from './change-set.ts';
import { isModelPath } from './name-models.ts';

/** Source and prose are nobody's weights: a change of these is no reason to read a model. */
const TEXT = /\.(md|rst|txt|py|ipynb|ts|js|mjs|json|ya?ml|toml|ini|cfg|lock|sh|c|cc|cpp|cu|h|hpp|rs|go|html|css|csv)$/i;

/** For each model, the changed files that could be its external data: these lie in its folder or below. */
export function externalCandidates(
  models: readonly NamedModel[],
  touched: ReadonlySet<string>,
): ReadonlyMap<string, readonly string[]> {
  const data = [...touched].filter((path) => !isModelPath(path) && !TEXT.test(path));
  const candidates = models.flatMap(({ path }): [string, string[]][] => {
    if (path === undefined || touched.has(path)) return [];
    const folder = posix.dirname(path);
    const below = data.filter((file) => folder === '.' || file.startsWith(`${folder}/`));
    return below.length === 0 ? [] : [[path, below]];
  });
  return new Map(candidates);
}

/** Repository path of an external file that a model names relative to its folder. */
export function externalPath(model: string, location: string): string {
  return posix.join(posix.dirname(model), location);
}
