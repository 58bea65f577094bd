import { createHash } from 'node:crypto';
import { LEAST_BUILDS } from './changes/arm-files.ts';
import { progressOf } from './compare/progress.ts';
import type { GateConfig } from './inputs/gate-config.ts';
import { buildMeasurements } from './measure/build-measurement.ts';
import { type CaseRecord, entryOf } from './measure/case-record.ts';
import { type CaseProgress, collect, type RestartWork } from './measure/collect.ts';
import type { Entry, Environment, Manifest, Measurement, Note } from './measure/measurement.ts';
import type { Measurer } from './measure/measurer.ts';
import { crowdedDemotions } from './plan/demotions.ts';
import { type CaseReach, type Family, type PlannedRow, planManifest } from './plan/manifest.ts';
import type { CaseGroup } from './plan/plan.ts';
import { DEFAULT_TIME_BUDGET_MS, LOOKS, planTime } from './plan/time-budget.ts';
import type { RestartProgress } from './report/progress-text.ts';

export interface GateModelsRequest {
  readonly groups: readonly CaseGroup[];
  /** Head's entries of models that could not be planned. */
  readonly faults: readonly Entry[];
  readonly config: GateConfig;
  readonly environment: Environment;
  readonly session: string;
  readonly notes: readonly Note[];
  readonly commits: { readonly base: string | null; readonly head: string | null };
  readonly failFast: 'stop-after-first-failure' | 'judge-all';
  /** Set in a shard: the family its rows belong to. */
  readonly family?: Family;
  /** Rows that are shown though policy gates them, with the reason. */
  readonly demotions?: readonly PlannedRow[];
  /** Whom creep turns red, where anything is measured against its anchor. */
  readonly creepRule?: Manifest['creepRule'];
  /** Restarts of an earlier attempt that a case goes on from. */
  readonly open?: (record: CaseRecord) => CaseRecord;
  /** Overrides the looks: `measure --restarts N` measures exactly N. */
  readonly looks?: readonly number[];
}

export interface GateModelsEdges {
  readonly measurer: Measurer;
  /** Asked when measuring has ended. */
  readonly machineNotes?: () => readonly Note[];
  readonly nowMs: () => number;
  readonly toolVersion: string;
  readonly signal: AbortSignal;
  readonly progress: Progress;
}

/** What a person is told while waiting, as plain lines and numbers. */
export interface Progress {
  readonly planned: (text: string) => void;
  readonly restart: (progress: RestartProgress) => void;
}

/**
 * plan → measure ⇄ compare: measures the groups until every row is decided or the time is used up, and
 * returns the two measurement files of the job, which hold everything a verdict needs.
 */
export async function gateModels(
  request: GateModelsRequest,
  edges: GateModelsEdges,
): Promise<{ readonly base: Measurement; readonly head: Measurement }> {
  const startMs = edges.nowMs();
  const budgetMs = request.config['time-budget'] ?? DEFAULT_TIME_BUDGET_MS;
  const deadlineMs = startMs + budgetMs;
  const looks = request.looks ?? LOOKS;
  const today = new Date(startMs).toISOString().slice(0, 10);
  let manifest: Manifest = emptyManifest(request, looks);
  const notes: Note[] = [...request.notes];
  const records = await collect(request.groups, {
    measurer: edges.measurer,
    looks,
    deadlineMs,
    nowMs: edges.nowMs,
    failFast: request.failFast,
    signal: edges.signal,
    ...(request.open ? { open: request.open } : {}),
    onPrepared: (prepared) => {
      const crowded = crowdedDemotions(prepared.map(crowdOf), request.config);
      notes.push(
        ...crowded.map(({ case: caseId, metric, reason }) => ({
          code: 'crowded',
          text: `${caseId} ${metric} is ${reason}`,
          headline: true,
        })),
      );
      manifest = planManifest(prepared.map(reachOf), request.config, {
        seed: seedOf(request.session),
        looks,
        ...(request.family ? { family: request.family } : {}),
        demotions: [...(request.demotions ?? []), ...crowded],
      });
      if (request.creepRule) manifest = { ...manifest, creepRule: request.creepRule };
      notes.push(...announceTime(prepared, manifest.k, budgetMs, edges.progress));
    },
    progressOf: (record) => progressOfRecord(record, request.config, manifest, today),
    onRestart: (work) => edges.progress.restart(restartProgress(work, looks)),
  });
  return buildMeasurements(records, {
    createdAt: new Date(startMs).toISOString(),
    toolVersion: edges.toolVersion,
    session: request.session,
    environment: request.environment,
    manifest,
    durationS: Math.round((edges.nowMs() - startMs) / 100) / 10,
    notes: [...notes, ...(edges.machineNotes?.() ?? [])],
    faults: request.faults,
    commits: request.commits,
  });
}

function progressOfRecord(record: CaseRecord, config: GateConfig, manifest: Manifest, today: string): CaseProgress {
  const over = { decided: true, suspicion: 1, failed: false };
  if (record.fault || record.group.unchanged) return over;
  if (record.group.base === null || hasFewBuilds(record)) return { ...over, decided: hasFirstLook(record) };
  return progressOf({ base: entryOf(record, 'base'), head: entryOf(record, 'head'), config, manifest, today });
}

function hasFirstLook(record: CaseRecord): boolean {
  return record.head.filter((restart) => restart.valid).length >= LOOKS[0];
}

/** Builds too few to be told from the luck of one: more restarts of them settle nothing. */
function hasFewBuilds({ group: { builds } }: CaseRecord): boolean {
  return builds !== undefined && Math.min(builds.base.length, builds.head.length) < LEAST_BUILDS;
}

/** Time left to the look being worked towards, over all groups that wait for it. */
function restartProgress(work: RestartWork, looks: readonly number[]): RestartProgress {
  return {
    case: work.caseId,
    restart: work.index + 1,
    next: work.target,
    last: looks.at(-1) ?? work.target,
    secondsLeft: work.secondsLeft,
  };
}

function crowdOf({ group, spec, preparation }: CaseRecord) {
  return { model: group.model, case: spec.id, processorShare: preparation?.processorShare ?? 1 };
}

function reachOf(record: CaseRecord): CaseReach {
  const { preparation, spec, group } = record;
  const unreachable = (preparation?.unreachable ?? []).filter((entry) => entry.case === spec.id);
  return {
    group,
    caseId: spec.id,
    metrics: record.fault ? null : (preparation?.metrics[spec.id] ?? null),
    unreachable,
  };
}

function announceTime(records: readonly CaseRecord[], k: number, budgetMs: number, progress: Progress): Note[] {
  if (records.length === 0) return [];
  const groups = new Map(records.map((record) => [record.group.id, record.preparation?.secondsPerRestart ?? 0]));
  const time = planTime([...groups.values()], k, budgetMs);
  progress.planned(
    `${records.length} case(s), ${k} rows judged by the paired test: about ${describeMinutes(time.firstLookMinutes)} when nothing changed; a regression can be proven after about ${describeMinutes(time.failPossibleMinutes)}`,
  );
  return time.shortfall === null ? [] : [{ code: 'time-budget-short', text: time.shortfall, headline: true }];
}

function describeMinutes(minutes: number): string {
  return minutes < 2 ? `${Math.ceil(minutes * 60)} s` : `${Math.ceil(minutes)} min`;
}

function emptyManifest(request: GateModelsRequest, looks: readonly number[]): Manifest {
  return { seed: seedOf(request.session), k: 0, memoryRows: 0, looks: [...looks], rows: [] };
}

/** The seed of a job, fixed by its session and recorded in every file. */
function seedOf(session: string): string {
  return createHash('sha256').update(session).digest('hex').slice(0, 16);
}
