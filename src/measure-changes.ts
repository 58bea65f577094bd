import { withoutFailedAnchors } from './anchor-runs.ts';
import type { ChangeSet } from './changes/change-set.ts';
import { historyNotes } from './compare/history-notes.ts';
import type { RuleBook } from './compare/row-rule.ts';
import { compareWithStored } from './compare/stored-rows.ts';
import {
  type EarlierAttempt,
  joinAttempts,
  keepEntries,
  type Resumption,
  resume,
  splitMeasured,
} from './earlier-attempt.ts';
import type { Baselines, Edges } from './edges.ts';
import { gateModels } from './gate-models.ts';
import type { Manifest, Measurement, Note } from './measure/measurement.ts';
import { mergeMeasurements } from './measure/merge-measurements.ts';
import { demotionsOf } from './plan/demotions.ts';
import type { Family, PlannedRow } from './plan/manifest.ts';
import type { CaseGroup } from './plan/plan.ts';
import type { PlannedChange } from './plan-change.ts';
import { planChanges, planStandIns } from './plan-changes.ts';
import { NOTHING_CHANGED } from './verdict/outcome.ts';

export interface MeasureRequest {
  /** A launch judges all models; speed files that were not measured are no verdict then. */
  readonly launch: boolean;
  readonly failFast: 'stop-after-first-failure' | 'judge-all';
  /** Whom creep turns red. */
  readonly creepRule: NonNullable<Manifest['creepRule']>;
  /** What files of an earlier run in the results folder are used for. */
  readonly earlier: EarlierAttempt['use'] | 'ignore';
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
  // Before any build runs, so that none can write them.
  const earlier = await readEarlier(request, edges);
  const split = splitMeasured(changes, earlier);
  const plan = await planChanges(split.planned, book, { ...edges, baselines });
  const { groups, kept, open } = resume(plan.groups, earlier, plan.environment.class, book);
  const keptFiles = keepEntries(earlier, split.measured, kept);
  const environment = groups.length === 0 && keptFiles ? keptFiles.head.environment : plan.environment;
  const demotions = demotionsOf(groups, plan.histories, config);
  const family = largestFamily([request.family, keptFiles?.head.manifest]);
  const { measurer, machineNotes, release } = await edges.openMeasurer(groups);
  const measure = (planned: PlannedChange, session: string, open?: Resumption['open']) =>
    gateModels(
      {
        ...planned,
        groups: planned.groups.map((group) => withReference(group, baselines)),
        config,
        environment,
        session,
        demotions,
        commits: { base: changes.base?.commit ?? null, head: changes.head.commit },
        failFast: request.failFast,
        ...(family ? { family } : {}),
        ...([...plan.histories.values()].some(({ own }) => own) ? { creepRule: request.creepRule } : {}),
        ...(open ? { open } : {}),
      },
      { ...edges, measurer, machineNotes },
    );
  try {
    const session = edges.newSession();
    const notes = distinct([...demotionNotes(demotions), ...notesOf(changes, request), ...plan.notes]);
    const first = withoutFailedAnchors(await measure({ groups, faults: plan.faults, notes }, session, open));
    const standIns = await planStandIns(plan, failedBases(first.head), { ...edges, baselines });
    const now =
      standIns.groups.length === 0 ? first : replaceCases(first, await measure(standIns, `${session}-stand-in`));
    const measured = joinAttempts(keptFiles, now);
    const { unconfirmed } = compareWithStored(measured.head, plan.histories, book);
    const alone = [...groups, ...standIns.groups].filter((group) => group.baseFault !== undefined);
    const again = alone.filter((group) => group.cases.some((spec) => unconfirmed.has(spec.id)));
    const confirmed =
      again.length === 0
        ? measured
        : withSecondSession(measured, await measure({ groups: again, faults: [], notes: [] }, `${session}-second`));
    return withNotes(confirmed, historyNotes(confirmed, plan.histories, book, nowMs));
  } finally {
    await release();
  }
}

async function readEarlier({ earlier: use }: MeasureRequest, edges: Edges): Promise<EarlierAttempt | null> {
  const files = use === 'ignore' ? null : await edges.readEarlier();
  return files && use !== 'ignore' ? { ...files, use } : null;
}

/** The family of rows is fixed before measuring: that of an earlier attempt or of all shards stays. */
function largestFamily(
  families: readonly ({ readonly k: number; readonly memoryRows?: number | undefined } | undefined)[],
): Family | null {
  const known = families.filter((family) => family !== undefined);
  if (known.length === 0) return null;
  return {
    k: Math.max(...known.map(({ k }) => k)),
    memoryRows: Math.max(...known.map(({ memoryRows }) => memoryRows ?? 0)),
  };
}

/** Sessions are compared over days by the reference workload: only where one is stored, or compared with. */
function withReference(group: CaseGroup, { measuresReference }: Baselines): CaseGroup {
  return measuresReference || group.baseFault !== undefined ? { ...group, reference: true } : group;
}

/** Models whose base turned out not to run, and why. */
function failedBases({ entries }: Measurement): ReadonlyMap<string, string> {
  const failed = entries.filter(({ comparison, fault }) => comparison !== 'creep' && fault?.arm === 'base');
  return new Map(failed.map((entry) => [entry.subject.model, entry.fault?.reason ?? '']));
}

/** The first files with the cases of the second in place of their own. */
function replaceCases(first: Measured, second: Measured): Measured {
  const ids = new Set(second.head.entries.map((entry) => entry.case.id));
  const without = (file: Measurement): Measurement => ({
    ...file,
    entries: file.entries.filter((entry) => entry.comparison === 'creep' || !ids.has(entry.case.id)),
  });
  return {
    base: mergeMeasurements([second.base, without(first.base)]),
    head: mergeMeasurements([second.head, without(first.head)]),
  };
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
