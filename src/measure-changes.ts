import { planAnchorRuns, withoutFailedAnchors } from './anchor-runs.ts';
import type { Histories } from './baseline/model-history.ts';
import type { ChangedModel, ChangeSet } from './changes/change-set.ts';
import { historyNotes } from './compare/history-notes.ts';
import type { RuleBook } from './compare/row-rule.ts';
import { compareWithStored } from './compare/stored-rows.ts';
import type { Baselines, Edges, ReadArms } from './edges.ts';
import { gateModels } from './gate-models.ts';
import type { Machine } from './measure/bench.ts';
import type { Environment, Manifest, Measurement, Note } from './measure/measurement.ts';
import { demotionsOf } from './plan/demotions.ts';
import type { Family, PlannedRow } from './plan/manifest.ts';
import type { CaseGroup } from './plan/plan.ts';
import { type PlannedChange, planChange } from './plan-change.ts';
import { readHistories, standInFor } from './stand-ins.ts';
import { NOTHING_CHANGED } from './verdict/outcome.ts';

export interface MeasureRequest {
  /** A launch judges all models; speed files that were not measured are no verdict then. */
  readonly launch: boolean;
  readonly failFast: 'stop-after-first-failure' | 'judge-all';
  /** Whom creep turns red. */
  readonly creepRule: NonNullable<Manifest['creepRule']>;
  /** Set in a shard: the family its rows belong to. */
  readonly family?: Family;
}

/** Both arms' files of one job. */
export interface Measured {
  readonly base: Measurement;
  readonly head: Measurement;
}

/** baseline → plan → measure ⇄ compare: the two measurement files of what a change touches. */
export async function measureChanges(changes: ChangeSet, request: MeasureRequest, edges: Edges): Promise<Measured> {
  const nowMs = edges.nowMs();
  const config = changes.policies.inForce;
  const book: RuleBook = { config, manifest: null, today: new Date(nowMs).toISOString().slice(0, 10) };
  const baselines = await edges.openBaselines();
  const plan = await planChanges(changes, book, { ...edges, baselines });
  const { environment, histories } = plan;
  const demotions = demotionsOf(plan.groups, histories, config);
  const groups = plan.groups.map((group) => withReference(group, baselines));
  const { measurer, machineNotes, release } = await edges.openMeasurer(groups);
  const measure = (some: readonly CaseGroup[], session: string, extra: Omit<PlannedChange, 'groups'>) =>
    gateModels(
      {
        ...extra,
        groups: some,
        config,
        environment,
        session,
        demotions,
        commits: { base: changes.base?.commit ?? null, head: changes.head.commit },
        failFast: request.failFast,
        ...(request.family ? { family: request.family } : {}),
        ...([...histories.values()].some(({ own }) => own) ? { creepRule: request.creepRule } : {}),
      },
      { ...edges, measurer, machineNotes },
    );
  try {
    const session = edges.newSession();
    const notes = distinct([...demotionNotes(demotions), ...notesOf(changes, request), ...plan.notes]);
    const measured = withoutFailedAnchors(await measure(groups, session, { faults: plan.faults, notes }));
    const { unconfirmed } = compareWithStored(measured.head, histories, book);
    const again = groups.filter((group) => group.cases.some((spec) => unconfirmed.has(spec.id)) && group.baseFault);
    const confirmed =
      again.length === 0
        ? measured
        : withSecondSession(measured, await measure(again, `${session}-2`, { faults: [], notes: [] }));
    return withNotes(confirmed, historyNotes(confirmed, histories, book, nowMs));
  } finally {
    await release();
  }
}

interface WholePlan extends PlannedChange {
  readonly environment: Environment;
  readonly histories: Histories;
}

/** Plans every changed model, with what is accepted standing in for bases that can't be run, and anchors beside them. */
async function planChanges(
  changes: ChangeSet,
  book: RuleBook,
  edges: Edges & { readonly baselines: Baselines },
): Promise<WholePlan> {
  const machine = await edges.inspectMachine(changes.models.map((model) => model.headConfig));
  const plans: { change: ChangedModel; arms: ReadArms; plan: PlannedChange }[] = [];
  for (const change of changes.models) {
    const arms = await edges.readArms(change);
    plans.push({ change, arms, plan: planChange(change, arms, machine) });
  }
  const environment = machine.environment(plans.flatMap(({ plan }) => plan.groups.map((group) => group.provider)));
  const ids = changes.models.map((model) => model.id);
  const histories = await readHistories(ids, environment.class, edges.baselines);
  const whole: PlannedChange[] = [];
  for (const { change, arms, plan } of plans) {
    const history = histories.get(change.id) ?? { own: null, others: [] };
    const standIn = await standInFor(change, arms, history, environment, edges);
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

/** Sessions are compared over days by the reference workload: only where one is stored, or compared with. */
function withReference(group: CaseGroup, { measuresReference }: Baselines): CaseGroup {
  return measuresReference || group.baseFault !== undefined ? { ...group, reference: true } : group;
}

/** Head's second session beside the first, each with its own id. */
function withSecondSession(first: Measured, second: Measured): Measured {
  const { session, environment, entries, durationS = 0 } = second.head;
  const placed = entries.map((entry) => ({ session, environment, ...entry }));
  const head = { ...first.head, entries: [...first.head.entries, ...placed] };
  return { base: first.base, head: { ...head, durationS: (head.durationS ?? 0) + durationS } };
}

function withNotes(measured: Measured, notes: readonly Note[]): Measured {
  const { head } = measured;
  return notes.length === 0 ? measured : { ...measured, head: { ...head, notes: [...(head.notes ?? []), ...notes] } };
}

function demotionNotes(demotions: readonly PlannedRow[]): Note[] {
  return demotions.map(({ case: caseId, metric, reason }) => ({
    code: 'known-spread',
    text: `${caseId} ${metric} is ${reason}`,
    headline: true,
  }));
}

function distinct(notes: readonly Note[]): Note[] {
  return [...new Map(notes.map((note) => [note.text, note])).values()];
}

/** What a reader must know of a change besides its rows; without any model, that nothing had to be judged. */
export function notesOf(changes: ChangeSet, { launch }: Pick<MeasureRequest, 'launch'>): Note[] {
  const notes: Note[] = [...changes.notes];
  if (changes.speedFiles.length > 0)
    notes.push({
      code: 'speed-files',
      text: `not measured: these files may change speed: ${changes.speedFiles.join(', ')}`,
      headline: true,
    });
  const nothingToJudge = changes.models.length === 0 && !(launch && changes.speedFiles.length > 0);
  if (nothingToJudge) notes.push({ code: NOTHING_CHANGED, text: 'no model changed' });
  return notes;
}
