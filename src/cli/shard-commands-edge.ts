import { readFile } from 'node:fs/promises';
import { outFolderOf } from '../edges-edge.ts';
import { RefusedError } from '../errors.ts';
import { parseMeasurement } from '../measure/measurement-file.ts';
import { parseShardPlan } from '../plan/shard-plan.ts';
import { measurementToJson } from '../run-gate.ts';
import { joinShards, matrixOf, planGate } from '../run-shards.ts';
import { judge } from '../verdict/judge.ts';
import { withLocalJob } from './local-job-edge.ts';
import { nameMeasuredModels, readConfig } from './read-files-edge.ts';
import { type ShowOptions, saveFiles, showVerdict } from './show-verdict-edge.ts';
import { print } from './terminal-edge.ts';

export interface PlanOptions {
  readonly base?: string;
  readonly config?: string;
  readonly shards?: number;
  readonly launch?: boolean;
  readonly out?: string;
}

/** `plan`: prints the matrix of shards, and writes the plan where a folder is named. */
export async function runPlanCommand(options: PlanOptions): Promise<number> {
  const place = { folder: process.cwd(), outFolder: outFolderOf(options.out, process.env) };
  const asked = { launch: options.launch ?? false, shards: options.shards ?? null };
  const { plan, base, head } = await withLocalJob({ ...options, ...place }, ({ edges }) => planGate(asked, edges));
  if (options.out !== undefined)
    await saveFiles(options.out, {
      'plan.json': `${JSON.stringify(plan)}\n`,
      'base.measurement.json': measurementToJson(base),
      'head.measurement.json': measurementToJson(head),
    });
  print(options.out === undefined ? JSON.stringify(plan) : matrixOf(plan));
  return 0;
}

export interface JudgeOptions extends ShowOptions {
  readonly plan: string;
  readonly config?: string;
}

/** `judge`: one verdict from the files of all shards; returns the exit code of the outcome. */
export async function runJudgeCommand(files: readonly string[], options: JudgeOptions): Promise<number> {
  const read = (path: string) =>
    readFile(path, 'utf8').catch(() => {
      throw new RefusedError(`${JSON.stringify(path)} cannot be read: check the path`);
    });
  const plan = parseShardPlan(await read(options.plan), options.plan);
  const all = await Promise.all(files.map(async (path) => parseMeasurement(await read(path), path)));
  const { base, head } = joinShards(plan, {
    base: all.filter((file) => file.arm === 'base'),
    head: all.filter((file) => file.arm === 'head'),
  });
  const today = new Date().toISOString().slice(0, 10);
  const config = nameMeasuredModels(await readConfig(options.config), head);
  return showVerdict(judge({ base, head, config, today }), options);
}
