import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { NoVerdictError } from '../errors.ts';
import type { Measurement } from '../measure/measurement.ts';
import { parseMeasurement } from '../measure/measurement-file.ts';
import { parseShardPlan, type ShardPlan } from '../plan/shard-plan.ts';

export const PLAN_FILE = 'plan.json';

/** What the jobs of a sharded run left in their artifacts, below one folder, in a fixed order. */
export interface ShardResults {
  readonly plan: ShardPlan;
  readonly base: readonly Measurement[];
  readonly head: readonly Measurement[];
}

/**
 * Reads plan and measurements below `folder`; the plan's own files first, then the shards by path.
 * @throws NoVerdictError where there is no plan, RefusedError for a broken file.
 */
export async function readShardResults(folder: string): Promise<ShardResults> {
  const paths = (await readdir(folder, { recursive: true }).catch(() => [])).sort();
  const named = (name: string) => paths.filter((path) => path === name || path.endsWith(`/${name}`));
  const [planPath] = named(PLAN_FILE);
  if (planPath === undefined)
    throw new NoVerdictError(
      `${relative('.', folder) || folder} holds no ${PLAN_FILE}: download the artifact of the plan job into it`,
    );
  const read = (name: string) =>
    Promise.all(named(name).map(async (path) => parseMeasurement(await readFile(join(folder, path), 'utf8'), path)));
  const plan = parseShardPlan(await readFile(join(folder, planPath), 'utf8'), planPath);
  return { plan, base: await read('base.measurement.json'), head: await read('head.measurement.json') };
}
