import type { ArmSource, ChangedModel, ChangeReason, NamedModel } from './change-set.ts';
import { baseModelOf, basePathOf, type IndexedComparison } from './comparison.ts';
import { matcherOf } from './name-models.ts';
import { saysTheSame } from './policies.ts';

/** External data files of a model in the work tree, as repository paths. */
export type ExternalFiles = (path: string) => readonly string[];

/** A model with everything that makes it changed; `reasons` is empty where nothing does. */
export function compareModel(
  model: NamedModel,
  comparison: IndexedComparison | null,
  externalFiles: ExternalFiles,
): ChangedModel {
  const known = comparison ? baseModelOf(model, comparison) : undefined;
  const basePath = comparison ? basePathOf(model, known, comparison) : null;
  const base = baseSourceOf(model, known, basePath, comparison);
  // A base without a list declared no options: head's then hold for both arms.
  const declared = comparison?.config && !comparison.config.models ? undefined : known;
  return {
    id: model.id,
    path: model.path ?? model.id,
    reasons: comparison ? reasonsOf(model, declared, basePath, base, comparison, externalFiles) : ['added'],
    previousId: known && known.id !== model.id ? known.id : null,
    base,
    head: headSourceOf(model),
    baseConfig: { ...(declared ?? model), id: model.id },
    headConfig: model,
    listedBy: 'head',
  };
}

function headSourceOf(model: NamedModel): ArmSource {
  if (model.prepare !== undefined)
    return { kind: 'prepare', commit: null, command: model.prepare, path: model.path ?? null };
  return { kind: 'work-tree', path: model.path ?? '' };
}

function baseSourceOf(
  model: NamedModel,
  known: NamedModel | undefined,
  basePath: string | null,
  comparison: IndexedComparison | null,
): ArmSource | null {
  if (model.base !== undefined) return { kind: 'file', path: model.base };
  if (!comparison) return null;
  const { commit } = comparison.base;
  if (known?.prepare !== undefined)
    return { kind: 'prepare', commit, command: known.prepare, path: known.path ?? null };
  const isBuiltNow = model.prepare !== undefined && !known;
  return basePath === null || isBuiltNow ? null : { kind: 'commit', commit, path: basePath };
}

function reasonsOf(
  model: NamedModel,
  declared: NamedModel | undefined,
  basePath: string | null,
  base: ArmSource | null,
  comparison: IndexedComparison,
  externalFiles: ExternalFiles,
): ChangeReason[] {
  if (base === null) return ['added'];
  const path = model.path ?? '';
  const isTouched = (file: string) => comparison.touched.has(file);
  const isWatched = model.prepare === undefined ? () => false : matcherOf(model.watch ?? []);
  const runtimes = [model.arms?.base?.runtime, model.arms?.head?.runtime];
  const checks: [ChangeReason, boolean][] = [
    ['modified', isTouched(path) && comparison.changeOf(path)?.status !== 'renamed'],
    ['renamed', basePath !== null && model.path !== undefined && basePath !== path],
    ['external-data', path !== '' && externalFiles(path).some(isTouched)],
    ['config', (declared !== undefined && !hasSameSection(declared, model)) || runtimes[0] !== runtimes[1]],
    ['watch', [...comparison.touched].some(isWatched)],
    ['base-file', base.kind === 'file'],
  ];
  return checks.filter(([, holds]) => holds).map(([reason]) => reason);
}

/** Whether both sides' sections ask for the same; names and places may differ. */
function hasSameSection(before: NamedModel, model: NamedModel): boolean {
  const section = ({ id: _id, path: _path, watch: _watch, ...rest }: NamedModel) => rest;
  return saysTheSame(section(before), section(model));
}
