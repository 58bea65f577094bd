import { posix } from 'node:path';
import picomatch from 'picomatch';
import { METRICS } from '../metrics/metric-table.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import type { GateConfig, MetricPolicy, ModelConfig } from './gate-config.ts';
import { modelIdOfFile } from './model-id.ts';
import { quantityIn } from './quantity-schema.ts';
import { didYouMean, quoteName } from './suggestion.ts';

/** What is wrong at which place of the config; `text` says what to do. */
export interface ConfigFault {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Faults of a config that fits its schema but can't be meant: what would gate nothing, or something else. */
export function checkConfig(config: GateConfig): ConfigFault[] {
  return [
    ...(config.models ?? []).flatMap((model, index) => checkModel(model, ['models', index])),
    ...checkIds(config.models ?? []),
    ...checkPolicies(config.metrics, ['metrics']),
    ...(config.waivers ?? []).flatMap(({ metric }, index) => checkMetricName(metric, ['waivers', index, 'metric'])),
  ];
}

function checkModel(model: ModelConfig, path: ConfigFault['path']): ConfigFault[] {
  const faults: ConfigFault[] = [];
  const fault = (key: string, text: string) => faults.push({ path: key === '' ? path : [...path, key], text });
  if (model.id !== undefined && /^[.-]/.test(model.id)) fault('id', 'may not begin with "." or "-"');
  if (model.prepare === undefined && model.path === undefined)
    fault('', 'needs `path` (a file in the repository), or `watch` and `prepare` (a model that is built)');
  if (model.prepare !== undefined) {
    if (model.watch === undefined && model.path === undefined)
      fault('prepare', 'needs `watch`: globs of the files whose change means that the model may have changed');
    if (model.id === undefined) fault('prepare', 'needs an `id`: a built model has no file name to take it from');
    if (!model.prepare.includes('{output}')) fault('prepare', 'must hold {output}, the file the command writes');
    if (model.prepare.includes('{model}') && model.path === undefined)
      fault('prepare', 'holds {model}, which needs `path`');
    if (model.base !== undefined) fault('base', 'and `prepare` exclude each other: base is built by `prepare`');
  } else if (model.builds !== undefined) fault('builds', 'needs `prepare`');
  if (model.path !== undefined && !isInside(model.path))
    fault('path', 'must be relative to the repository and stay inside it, with "/" between folders');
  faults.push(...checkPolicies(model.metrics, [...path, 'metrics']));
  for (const [id, entry] of Object.entries(model.cases ?? {}))
    faults.push(...checkPolicies(entry.metrics, [...path, 'cases', id, 'metrics']));
  return faults;
}

/** The id a model will have, where that can be known without the repository's files: globs name many. */
function idOf(model: ModelConfig): string | undefined {
  if (model.id !== undefined || model.path === undefined || isGlob(model.path)) return model.id;
  return modelIdOfFile(model.path);
}

/** The config with the ids that default to a file's base name written in. */
export function withDefaultIds(config: GateConfig): GateConfig {
  if (!config.models) return config;
  const named = config.models.map((model) => {
    const id = idOf(model);
    return id === undefined ? model : { ...model, id };
  });
  return { ...config, models: named };
}

/** Whether a config's `path` names many files rather than one. */
export function isGlob(path: string): boolean {
  return picomatch.scan(path).isGlob;
}

function isInside(path: string): boolean {
  const normal = posix.normalize(path);
  return (
    path !== '' &&
    !path.includes('\\') &&
    !path.includes('\0') &&
    !posix.isAbsolute(path) &&
    !/^\.\.(\/|$)/.test(normal)
  );
}

function checkIds(models: readonly ModelConfig[]): ConfigFault[] {
  const first = new Map<string, number>();
  return models.flatMap((model, index) => {
    const id = idOf(model);
    if (id === undefined) return [];
    const earlier = first.get(id);
    if (earlier === undefined) first.set(id, index);
    return earlier === undefined
      ? []
      : [{ path: ['models', index], text: `"${id}" is the id of models[${earlier}] too: give each its own \`id\`` }];
  });
}

/** Namespaces of the metric table are closed, so that a slip can't switch a limit off; others come from files. */
const CLOSED = new Set([...METRICS.keys()].map((id) => id.split('.')[0]));

function checkPolicies(
  policies: Readonly<Record<string, MetricPolicy>> | undefined,
  path: ConfigFault['path'],
): ConfigFault[] {
  return Object.entries(policies ?? {}).flatMap(([id, policy]) => {
    const here = [...path, id];
    const known = METRICS.get(id);
    return known ? checkUnits(policy, known.unit, here) : checkMetricName(id, here);
  });
}

function checkMetricName(id: string, path: ConfigFault['path']): ConfigFault[] {
  if (METRICS.has(id) || id.startsWith(OUTPUT_METRIC_PREFIX)) return [];
  const near = didYouMean(id, [...METRICS.keys()]);
  if (!CLOSED.has(id.split('.')[0] ?? '') && near === '') return [];
  return [{ path, text: `unknown metric ${quoteName(id)}${near || `; known are ${[...METRICS.keys()].join(', ')}`}` }];
}

function checkUnits(
  policy: MetricPolicy,
  unit: Parameters<typeof quantityIn>[1],
  path: ConfigFault['path'],
): ConfigFault[] {
  const floor = typeof policy.margin === 'object' ? policy.margin.floor : undefined;
  const limits = { max: policy.max, min: policy.min, 'max-increase': policy['max-increase'], margin: floor };
  return Object.entries(limits).flatMap(([key, quantity]) =>
    quantity === undefined || quantityIn(quantity, unit) !== null
      ? []
      : [{ path: [...path, key], text: `is in ${quantity.unit}, but the metric is in ${unit}` }],
  );
}
