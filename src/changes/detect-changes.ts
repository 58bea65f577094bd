import { RefusedError } from '../errors.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import { quoteName } from '../inputs/suggestion.ts';
import type { ChangedModel, ChangeSet, NamedModel } from './change-set.ts';
import { compareModel, type ExternalFiles } from './changed-model.ts';
import { type IndexedComparison, indexComparison } from './comparison.ts';
import type { DetectionInput, Selection } from './detection-input.ts';
import { matcherOf, nameModels, refuseUnknownWaivers, withNamedModels } from './name-models.ts';
import { describeDetection } from './notes.ts';
import { type ReadPolicies, saysTheSame } from './policies.ts';
import { speedFiles } from './speed-files.ts';

const BASELINE = matcherOf(['baselines/**/*.json']);

/**
 * What a change touches.
 * @throws RefusedError for a config that names a file or a waiver a model that does not exist, or a filter that fits none.
 */
export function detectChanges(input: DetectionInput): ChangeSet {
  const { head, comparison, configPath, policies } = input;
  const models = nameModels(policies.inForce, head.files);
  const base = comparison && indexComparison(comparison, policies.inForce);
  const present = presentModels(models, new Set(head.files), base, configPath);
  refuseUnknownWaivers(
    policies.inForce,
    [...models, ...(base?.models ?? [])].map((model) => model.id),
  );
  const compared = present.map((model) => compareModel(model, ownBase(model, input) ?? base, input.externalFiles));
  const unlisted = base ? unlistedModels(compared, base, head.files, input.externalFiles) : [];
  const selected = select([...compared, ...unlisted], input.selection);
  const removed = base ? removedModels(compared, unlisted, base) : [];
  const changes = comparison?.changes ?? [];
  const set: ChangeSet = {
    base: comparison?.base ?? null,
    head: head.revision,
    models: selected,
    removed,
    speedFiles: speedFiles(changes, policies.inForce, models, configPath),
    policyEdits: [...(base?.touched ?? [])].filter((path) => path === configPath || BASELINE(path)).sort(),
    policies: {
      inForce: withNamedModels(policies.inForce, models),
      beforeChange: beforeChange(policies, base),
    },
    notes: [],
  };
  const leftOut = [...compared, ...unlisted].filter((model) => model.reasons.length > 0 && !selected.includes(model));
  return { ...set, notes: [...policies.notes, ...describeDetection(set, input, models, leftOut)] };
}

function ownBase(model: NamedModel, input: DetectionInput): IndexedComparison | null {
  const own = input.ownComparisons.get(model.id);
  return own ? indexComparison(own, input.policies.inForce) : null;
}

function beforeChange(policies: ReadPolicies, base: IndexedComparison | null): GateConfig | null {
  if (!base || policies.base === null || saysTheSame(policies.base, policies.inForce)) return null;
  return withNamedModels(policies.base, base.models);
}

/** Listed models whose file is there; a file that base has is a removed model, one that neither has is a slip. */
function presentModels(
  models: readonly NamedModel[],
  files: ReadonlySet<string>,
  base: IndexedComparison | null,
  configPath: string,
): NamedModel[] {
  return models.filter((model) => {
    if (model.path === undefined || files.has(model.path)) return true;
    if (base?.has(model.path)) return false;
    throw new RefusedError(
      `${configPath}: model "${model.id}" names the file ${quoteName(model.path)}, which does not exist: correct the path, or build it with \`prepare\``,
    );
  });
}

/** Changed models that base's config lists and head's no longer does, though the file is still there. */
function unlistedModels(
  compared: readonly ChangedModel[],
  base: IndexedComparison,
  files: readonly string[],
  externalFiles: ExternalFiles,
): ChangedModel[] {
  return forgottenModels(compared, base)
    .filter((model) => model.path !== undefined && files.includes(model.path))
    .map((model) => ({ ...compareModel(model, base, externalFiles), listedBy: 'base' as const }))
    .filter((model) => model.reasons.length > 0);
}

function removedModels(
  compared: readonly ChangedModel[],
  unlisted: readonly ChangedModel[],
  base: IndexedComparison,
): string[] {
  return forgottenModels(compared, base)
    .map((model) => model.id)
    .filter((id) => !unlisted.some((model) => model.id === id))
    .sort();
}

function forgottenModels(compared: readonly ChangedModel[], base: IndexedComparison): NamedModel[] {
  const ids = new Set(compared.flatMap((model) => [model.id, model.previousId]));
  return base.models.filter((model) => !ids.has(model.id));
}

function select(models: readonly ChangedModel[], { models: which, filter }: Selection): ChangedModel[] {
  const fits = (model: ChangedModel) =>
    filter.length === 0 || filter.includes(model.id) || matcherOf(filter)(model.path);
  const fitting = models.filter(fits);
  if (filter.length > 0 && fitting.length === 0)
    throw new RefusedError(`no model fits ${filter.map(quoteName).join(', ')}: give ids, or globs of paths`);
  if (which === 'changed') return fitting.filter((model) => model.reasons.length > 0);
  return fitting.map((model) => (model.reasons.length > 0 ? model : { ...model, reasons: ['requested'] }));
}
