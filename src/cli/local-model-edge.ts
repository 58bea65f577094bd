import { basename, resolve } from 'node:path';
import { nameModels, withNamedModels } from '../changes/name-models.ts';
import type { GateConfig, ModelConfig } from '../inputs/gate-config.ts';
import { readModelFile } from '../model/model-edge.ts';
import type { ArmOnDisk } from '../plan/plan-groups.ts';

/** What a command line says of a model's cases. */
export interface AskedCases {
  readonly provider?: string;
  readonly batch?: readonly number[];
}

/** The model's section of the config (by path or id), with what the command line says on top. */
export function configOf(
  config: GateConfig,
  model: string,
  options: AskedCases,
): ModelConfig & { readonly id: string } {
  const id =
    basename(model)
      .replace(/\.onnx$/, '')
      .replace(/[^A-Za-z0-9._-]/g, '-') || 'model';
  const named = withNamedModels(config, nameModels(config, [model]));
  const listed = named.models?.find((entry) => entry.path === model || entry.id === id);
  const providers = options.provider === undefined ? {} : { providers: [options.provider] as [string] };
  const [batch, ...batches] = options.batch ?? [];
  return {
    ...listed,
    id: listed?.id ?? id,
    ...providers,
    ...(batch === undefined ? {} : { batches: [batch, ...batches] as [number] }),
  };
}

/** The config as it judges one model: the policies of cases that are not measured now are left out. */
export function configFor(
  config: GateConfig,
  model: ModelConfig & { readonly id: string },
  measured: readonly string[],
): GateConfig {
  const cases = Object.entries(model.cases ?? {}).filter(([id]) => measured.includes(id));
  return { ...config, models: [{ ...model, cases: Object.fromEntries(cases) }] };
}

/** A model on disk, read and digested. */
export async function readArm(path: string): Promise<ArmOnDisk> {
  return { commit: null, modelFile: resolve(path), ...(await readModelFile(path)) };
}
