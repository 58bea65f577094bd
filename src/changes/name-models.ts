import picomatch from 'picomatch';
import { RefusedError } from '../errors.ts';
import { isGlob } from '../inputs/config-checks.ts';
import type { GateConfig, ModelConfig } from '../inputs/gate-config.ts';
import { modelIdOf } from '../inputs/model-id.ts';
import { didYouMean, quoteName } from '../inputs/suggestion.ts';
import type { NamedModel } from './change-set.ts';

const ONNX = /\.onnx$/i;

/** Whether a path is that of a model where no config says so. */
export function isModelPath(path: string): boolean {
  return ONNX.test(path);
}

/**
 * The models of a tree: those the config lists, with globs resolved and ids given, else every `*.onnx`.
 * A listed file that the tree lacks stays listed.
 * @throws RefusedError where two models would share an id.
 */
export function nameModels(config: GateConfig, files: readonly string[]): NamedModel[] {
  const onnx = files.filter(isModelPath);
  if (!config.models) return onnx.map((path) => ({ id: modelIdOf(path), path }));
  const present = new Set(files);
  const single = (model: ModelConfig) => model.path === undefined || present.has(model.path) || !isGlob(model.path);
  const taken = new Set(config.models.filter(single).map((model) => model.path));
  const named = config.models.flatMap((model, index): NamedModel[] => {
    if (model.path === undefined || single(model)) return [{ ...model, id: model.id ?? modelIdOf(model.path ?? '') }];
    const matches = onnx.filter((path) => !taken.has(path) && matcherOf([model.path ?? ''])(path));
    for (const path of matches) taken.add(path);
    if (model.id !== undefined && matches.length > 1)
      throw new RefusedError(
        `models[${index}].id: ${quoteName(model.path)} matches ${matches.length} files, which can't share the id "${model.id}": leave the id out`,
      );
    return matches.map((path) => ({ ...model, path, id: model.id ?? modelIdOf(path) }));
  });
  refuseDoubles(named);
  return named;
}

function refuseDoubles(models: readonly NamedModel[]): void {
  const first = new Map<string, NamedModel>();
  for (const model of models) {
    const earlier = first.get(model.id);
    if (earlier)
      throw new RefusedError(
        `${quoteName(earlier.path ?? earlier.id)} and ${quoteName(model.path ?? model.id)} both have the model id "${model.id}": give one another \`id\``,
      );
    first.set(model.id, model);
  }
}

/** The config with its models resolved, so that rows find their policy by id. */
export function withNamedModels(config: GateConfig, models: readonly NamedModel[]): GateConfig {
  return config.models ? { ...config, models: [...models] } : config;
}

/** Matches repository paths against globs; hidden files count. */
export function matcherOf(globs: readonly string[]): (path: string) => boolean {
  return globs.length === 0 ? () => false : picomatch([...globs], { dot: true });
}

/** @throws RefusedError for a waiver whose model neither side has: a slip there would waive nothing. */
export function refuseUnknownWaivers(config: GateConfig, ids: readonly string[]): void {
  config.waivers?.forEach((waiver, index) => {
    if (!ids.includes(waiver.model))
      throw new RefusedError(
        `waivers[${index}].model: there is no model ${quoteName(waiver.model)}${didYouMean(waiver.model, ids)}`,
      );
  });
}
