import { quoteName } from '../inputs/suggestion.ts';
import type { ChangedModel, ChangeNote, ChangeSet, NamedModel } from './change-set.ts';
import type { DetectionInput } from './detection-input.ts';
import { isModelPath } from './name-models.ts';

const SHOWN = 5;

/** What a reader must know about how the models to gate were found. */
export function describeDetection(
  set: ChangeSet,
  input: DetectionInput,
  models: readonly NamedModel[],
  leftOut: readonly ChangedModel[],
): ChangeNote[] {
  return [
    ...unlistedNotes(set),
    ...unknownFileNotes(input, models),
    ...renameNotes(set),
    ...ignoredNotes(set, input),
    ...leftOutNotes(leftOut),
  ];
}

function unlistedNotes(set: ChangeSet): ChangeNote[] {
  return set.models
    .filter((model) => model.listedBy === 'base')
    .map((model) => ({
      code: 'model-unlisted',
      text: `${model.id} changed and is no longer listed in the config: it is measured under the policy before this change.`,
      headline: true,
    }));
}

/** A changed model file that the config does not list passes unmeasured: that must be seen. */
function unknownFileNotes({ policies, comparison }: DetectionInput, models: readonly NamedModel[]): ChangeNote[] {
  if (!policies.inForce.models) return [];
  const listed = new Set([...models, ...(comparison?.config?.models ?? [])].map((model) => model.path));
  const unknown = (comparison?.changes ?? [])
    .filter((change) => change.status !== 'deleted' && isModelPath(change.path) && !listed.has(change.path))
    .map((change) => change.path);
  if (unknown.length === 0) return [];
  return [
    { code: 'not-listed', text: `Not gated, as the config does not list them: ${listNames(unknown)}.`, headline: true },
  ];
}

/** Git finds a rename only where the bytes are alike. */
function renameNotes({ models, removed, base }: ChangeSet): ChangeNote[] {
  const added = models.filter((model) => model.base === null).map((model) => model.id);
  if (!base || added.length === 0 || removed.length === 0) return [];
  const text = `Removed: ${listNames(removed)}; added: ${listNames(added)}. If one replaces the other, give it the other's \`id\` in the config, so that they are compared.`;
  return [{ code: 'maybe-renamed', text, headline: true }];
}

function ignoredNotes(set: ChangeSet, { head }: DetectionInput): ChangeNote[] {
  const ignored = set.models.filter((model) => model.base === null && head.ignored.includes(model.path));
  return ignored.map((model) => ({
    code: 'model-not-in-git',
    text: `${quoteName(model.path)} is ignored by git, so it is new in every run: name a \`base\` file, or build it with \`watch\` and \`prepare\`.`,
    headline: true,
  }));
}

function leftOutNotes(leftOut: readonly ChangedModel[]): ChangeNote[] {
  if (leftOut.length === 0) return [];
  const text = `Changed, but left out by the choice of models: ${listNames(leftOut.map((model) => model.id))}.`;
  return [{ code: 'left-out', text, headline: true }];
}

/** Up to five quoted names and the number of the rest. */
function listNames(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  return names.slice(0, SHOWN).map(quoteName).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}
