import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse as parseYaml } from 'yaml';
import { z } from 'zod';
import { nameModels, withNamedModels } from '../changes/name-models.ts';
import { RefusedError } from '../errors.ts';
import { DEFAULT_CONFIG_PATH, parseGateConfig } from '../inputs/config-file.ts';
import { EMPTY_CONFIG, type GateConfig, type SessionOptions, sessionOptionsSchema } from '../inputs/gate-config.ts';
import type { Measurement } from '../measure/measurement.ts';
import { parseMeasurement } from '../measure/measurement-file.ts';
import { mergeMeasurements } from '../measure/merge-measurements.ts';

/**
 * The config at `path`; defaults where no path is given.
 * @throws RefusedError with one line a fault.
 */
export async function readConfig(path: string | undefined): Promise<GateConfig> {
  return path === undefined ? EMPTY_CONFIG : parseGateConfig(await readText(path), path);
}

/** The config that a command works by: the one asked for, else the repository's own, else the defaults. */
export async function readOwnConfig(root: string, asked: string | null): Promise<GateConfig> {
  const own = join(root, DEFAULT_CONFIG_PATH);
  return readConfig(asked ?? (existsSync(own) ? own : undefined));
}

/**
 * All measurement files of one arm, merged.
 * @throws RefusedError for an unreadable or invalid file, NoVerdictError where a file holds no measurement.
 */
export async function readMeasurements(paths: readonly string[]): Promise<Measurement> {
  const files = await Promise.all(paths.map(async (path) => parseMeasurement(await readText(path), path)));
  return mergeMeasurements(files);
}

/**
 * Session options in a YAML file, as in a model's `session:`.
 * @throws RefusedError for unknown options.
 */
export async function readSessionOptions(path: string): Promise<SessionOptions> {
  const parsed = sessionOptionsSchema.safeParse(parseYaml(await readText(path)));
  if (parsed.success) return parsed.data;
  throw new RefusedError(`${JSON.stringify(path)}: ${z.prettifyError(parsed.error).replaceAll('\n', ' ')}`);
}

/**
 * The config with its globs resolved by the models that a measurement holds, so that rows find their policy.
 * @throws RefusedError where two models would share an id.
 */
export function nameMeasuredModels(config: GateConfig, head: Measurement): GateConfig {
  const paths = new Set(head.entries.flatMap(({ subject }) => subject.path ?? []));
  return withNamedModels(config, nameModels(config, [...paths]));
}

async function readText(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    throw new RefusedError(`${JSON.stringify(path)} cannot be read (${thrown.code ?? 'unknown'}): check the path`);
  });
}
