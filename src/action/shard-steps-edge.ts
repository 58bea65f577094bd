import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NoVerdictError, RefusedError } from '../errors.ts';
import { measureChanges } from '../measure-changes.ts';
import { findShard, parseShardPlan } from '../plan/shard-plan.ts';
import { logText, writeOutputs } from '../publish/step-edge.ts';
import { answerChange, measurementToJson } from '../run-gate.ts';
import { joinShards, matrixOf, narrowToShard, planGate } from '../run-shards.ts';
import { concludeGate } from './gate-step-edge.ts';
import { gateRequestOf, type Job } from './job-edge.ts';
import { PLAN_FILE, readShardResults } from './results-folder-edge.ts';

/** `plan`: writes the plan and sets the matrix; an empty plan has no work. */
export async function runPlanStep({ context, edges }: Job): Promise<number> {
  const { plan, base, head } = await planGate({ launch: context.trigger.isLaunch, shards: null }, edges);
  await edges.saveFiles({
    [PLAN_FILE]: `${JSON.stringify(plan)}\n`,
    'base.measurement.json': measurementToJson(base),
    'head.measurement.json': measurementToJson(head),
  });
  writeOutputs({
    matrix: matrixOf(plan),
    'has-work': plan.shards.length > 0,
    'gated-models': plan.shards.flatMap((shard) => shard.models),
  });
  for (const shard of plan.shards)
    logText(`shard ${shard.name}: ${shard.models.join(', ')}, about ${shard.predictedS} s`);
  return 0;
}

/** `measure`: measures one shard of the plan that lies in the results folder, and writes its files there. */
export async function runMeasureStep(job: Job): Promise<number> {
  const { inputs, edges, resultsFolder } = job;
  if (inputs.shard === null) throw new RefusedError('input shard: command measure needs it, as 2/4 from the matrix');
  const text = await readFile(join(resultsFolder, PLAN_FILE), 'utf8').catch(() => null);
  if (text === null)
    throw new NoVerdictError(
      `${inputs.results} holds no ${PLAN_FILE}: download the artifact of the plan job into it first`,
    );
  const plan = parseShardPlan(text, PLAN_FILE);
  const shard = findShard(plan, `${inputs.shard.index}/${inputs.shard.count}`);
  const changes = narrowToShard(await edges.findChanges(), shard);
  const measured = await measureChanges(changes, { ...gateRequestOf(job), family: plan }, edges);
  await edges.saveFiles({
    'base.measurement.json': measurementToJson(measured.base),
    'head.measurement.json': measurementToJson(measured.head),
  });
  writeOutputs({ 'gated-models': changes.models.map((model) => model.id) });
  return 0;
}

/** `judge`: one verdict from all shards; a shard without files is no verdict that names it. */
export async function runJudgeStep(job: Job): Promise<number> {
  const { edges, resultsFolder } = job;
  await edges.publisher?.announce();
  const results = await readShardResults(resultsFolder);
  const changes = await edges.findChanges();
  const measured = joinShards(results.plan, results);
  return concludeGate(await answerChange(changes, measured, gateRequestOf(job), edges));
}
