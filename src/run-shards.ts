import type { ChangeSet } from './changes/change-set.ts';
import type { Edges } from './edges.ts';
import { NoVerdictError } from './errors.ts';
import { buildMeasurements } from './measure/build-measurement.ts';
import { faultEntry } from './measure/fault-entry.ts';
import type { Entry, Measurement } from './measure/measurement.ts';
import { mergeMeasurements } from './measure/merge-measurements.ts';
import { pastSeconds } from './measure/past-seconds.ts';
import { notesOf } from './measure-changes.ts';
import { PLAN_SCHEMA } from './plan/plan.ts';
import {
  caseIdsOf,
  familyOfPlan,
  type PlannedModel,
  planShards,
  type Shard,
  type ShardPlan,
  USUAL_CASE_SECONDS,
} from './plan/shard-plan.ts';
import { DEFAULT_TIME_BUDGET_MS, LOOKS } from './plan/time-budget.ts';

export interface PlanRequest {
  readonly launch: boolean;
  /** Null: as many shards as keep one within half of the time budget. */
  readonly shards: number | null;
}

/**
 * inputs → changes → plan: which shard measures which models, the family of rows they belong to, and two
 * measurement files without entries that carry what a reader must know of the change.
 */
export async function planGate(
  request: PlanRequest,
  edges: Edges,
): Promise<{ plan: ShardPlan; base: Measurement; head: Measurement }> {
  const changes = await edges.findChanges();
  const machine = await edges.inspectMachine(changes.models.map((model) => model.headConfig));
  const choice = machine.chooseProvider(null);
  if ('noVerdict' in choice) throw new NoVerdictError(choice.noVerdict);
  const { provider } = choice;
  const config = changes.policies.inForce;
  const baselines = await edges.openBaselines();
  const models: PlannedModel[] = [];
  for (const { id, headConfig } of changes.models) {
    const model = { id, config: headConfig };
    const past = pastSeconds(await baselines.read(id), caseIdsOf(model, provider), USUAL_CASE_SECONDS);
    models.push({ ...model, pastSeconds: past });
  }
  const session = edges.newSession();
  const family = familyOfPlan(models, provider, config);
  const createdAt = new Date(edges.nowMs()).toISOString();
  const commits = { base: changes.base?.commit ?? null, head: changes.head.commit };
  const budgetS = (config['time-budget'] ?? DEFAULT_TIME_BUDGET_MS) / 1000;
  const shards = models.length === 0 ? [] : planShards(models, provider, { shards: request.shards, budgetS });
  const files = buildMeasurements([], {
    createdAt,
    toolVersion: edges.toolVersion,
    session,
    environment: machine.environment([provider]),
    manifest: { seed: session, ...family, looks: [...LOOKS], rows: [] },
    durationS: 0,
    notes: notesOf(changes, request),
    faults: [],
    commits,
  });
  return { plan: { schema: PLAN_SCHEMA, createdAt, session, ...commits, ...family, shards }, ...files };
}

/** What a shard measures: the change narrowed to its models. */
export function narrowToShard(changes: ChangeSet, shard: Shard): ChangeSet {
  return { ...changes, models: changes.models.filter((model) => shard.models.includes(model.id)) };
}

/**
 * Both arms of all shards as one measurement each, in the order given. A case of the plan that no file holds
 * becomes a fault that names its shard, so that a skipped or cancelled job is never green.
 */
export function joinShards(
  plan: ShardPlan,
  files: { readonly base: readonly Measurement[]; readonly head: readonly Measurement[] },
) {
  const base = mergeMeasurements(files.base);
  const head = mergeMeasurements(files.head);
  // By model: a shard may stand on another device than the plan did, where the config names no provider.
  const held = new Set(head.entries.map((entry) => entry.subject.model));
  const missing = plan.shards.flatMap((shard) =>
    shard.cases.filter((id) => !held.has(id.split('/')[0] ?? id)).map((id) => missingCase(id, shard)),
  );
  return { base, head: missing.length === 0 ? head : { ...head, entries: [...head.entries, ...missing] } };
}

function missingCase(caseId: string, shard: Shard): Entry {
  const [model = caseId, provider = '', batch = 'b1'] = caseId.split('/');
  const reason = `shard ${shard.name} left no measurement of it: see why that job did not finish, and run it again`;
  return faultEntry({ id: model, path: model }, provider, Number(batch.slice(1)), { kind: 'not-measured', reason });
}

/** GitHub's matrix of a plan, as JSON. */
export function matrixOf(plan: ShardPlan): string {
  return JSON.stringify({ include: plan.shards.map(({ name }) => ({ shard: name })) });
}
