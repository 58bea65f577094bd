import { planAnchorRuns } from './anchor-runs.ts';
import type { Histories } from './baseline/model-history.ts';
import type { ChangedModel } from './changes/change-set.ts';
import type { RuleBook } from './compare/row-rule.ts';
import type { Baselines, Edges, ReadArms } from './edges.ts';
import type { Machine } from './measure/bench.ts';
import type { Environment } from './measure/measurement.ts';
import type { CaseGroup } from './plan/plan.ts';
import { type PlannedChange, planChange } from './plan-change.ts';
import { readHistories, standInFor, whyNoBase } from './stand-ins.ts';

/** Everything that is to be measured of a change, on this machine and beside what it accepted. */
export interface ChangePlan extends PlannedChange {
  readonly environment: Environment;
  readonly histories: Histories;
  readonly machine: Machine;
  readonly arms: readonly { readonly change: ChangedModel; readonly arms: ReadArms }[];
}

/** Plans every changed model, with what is accepted standing in for bases that can't be run, and anchors beside them. */
export async function planChanges(
  models: readonly ChangedModel[],
  book: RuleBook,
  edges: Edges & { readonly baselines: Baselines },
): Promise<ChangePlan> {
  const machine = await edges.inspectMachine(models.map((model) => model.headConfig));
  const plans: { change: ChangedModel; arms: ReadArms; plan: PlannedChange }[] = [];
  for (const change of models) {
    const arms = await edges.readArms(change);
    plans.push({ change, arms, plan: planChange(change, arms, machine) });
  }
  const environment = machine.environment(plans.flatMap(({ plan }) => plan.groups.map((group) => group.provider)));
  const ids = models.map((model) => model.id);
  const histories = await readHistories(ids, environment.class, edges.baselines);
  const whole: PlannedChange[] = [];
  for (const { change, arms, plan } of plans) {
    const history = histories.get(change.id) ?? { own: null, others: [] };
    const standIn = await standInFor(change, arms, whyNoBase(change, arms), history, environment, edges);
    const usable = standIn ? planStandIn(change, standIn, machine) : plan;
    const used = standIn?.arms ?? arms;
    whole.push(usable);
    if (used.kind === 'fault') continue;
    const runs = await planAnchorRuns(change, used.model, usable.groups, histories, book, edges.baselines);
    whole.push({ groups: runs.groups, faults: [], notes: runs.notes });
  }
  return {
    // Anchors come last: a change is judged by itself first.
    groups: whole.flatMap(({ groups }) => groups).toSorted((a, b) => rank(a) - rank(b)),
    faults: whole.flatMap(({ faults }) => faults),
    notes: whole.flatMap(({ notes }) => notes),
    environment,
    histories,
    machine,
    arms: plans,
  };
}

/** What is measured instead of bases that turned out not to run, by model and reason. */
export async function planStandIns(
  { arms: all, histories, environment, machine }: ChangePlan,
  failed: ReadonlyMap<string, string>,
  edges: Edges & { readonly baselines: Baselines },
): Promise<PlannedChange> {
  const plans: PlannedChange[] = [];
  for (const { change, arms } of all) {
    const why = failed.get(change.id) ?? null;
    const history = histories.get(change.id) ?? { own: null, others: [] };
    const standIn = await standInFor(change, arms, why, history, environment, edges);
    if (standIn) plans.push(planStandIn(change, standIn, machine));
  }
  return {
    groups: plans.flatMap(({ groups }) => groups),
    faults: plans.flatMap(({ faults }) => faults),
    notes: plans.flatMap(({ notes }) => notes),
  };
}

function rank({ comparison }: CaseGroup): number {
  return comparison === 'creep' ? 1 : 0;
}

function planStandIn(
  change: ChangedModel,
  { arms, baseFault, notes }: NonNullable<Awaited<ReturnType<typeof standInFor>>>,
  machine: Machine,
): PlannedChange {
  const plan = planChange(change, arms, machine);
  const groups = baseFault === null ? plan.groups : plan.groups.map((group) => ({ ...group, baseFault }));
  return { ...plan, groups, notes: [...notes, ...plan.notes] };
}
