import type { ChangeSet } from './changes/change-set.ts';
import type { Edges } from './edges.ts';
import { gateModels } from './gate-models.ts';
import type { Measurement, Note } from './measure/measurement.ts';
import type { Family } from './plan/manifest.ts';
import { planChange } from './plan-change.ts';
import { concludeStep, publicationOf, type StepConclusion, type StepPolicy } from './publish/publication.ts';
import { type ReportTexts, renderReports } from './report/render-reports.ts';
import type { ReportOptions } from './report/report-options.ts';
import { restartTables } from './report/restart-table.ts';
import { judgeChange } from './verdict/judge-change.ts';
import { NOTHING_CHANGED } from './verdict/outcome.ts';
import type { Verdict } from './verdict/verdict.ts';
import { verdictToJson } from './verdict/verdict-json.ts';

export interface MeasureRequest {
  /** A launch judges all models; speed files that were not measured are no verdict then. */
  readonly launch: boolean;
  readonly failFast: 'stop-after-first-failure' | 'judge-all';
  /** Set in a shard: the family its rows belong to. */
  readonly family?: Family;
}

export interface GateRequest extends MeasureRequest {
  readonly policy: StepPolicy;
  readonly report: ReportOptions;
}

export interface GateResult {
  readonly verdict: Verdict;
  readonly conclusion: StepConclusion;
  readonly reports: ReportTexts;
  /** Paths of the written files by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly commentUrl: string | null;
  readonly measuredModels: readonly string[];
}

/** The whole gate: inputs → changes → baseline → plan → measure ⇄ compare → verdict → report → publish. */
export async function runGate(request: GateRequest, edges: Edges): Promise<GateResult> {
  await edges.publisher?.announce();
  const changes = await edges.findChanges();
  const measured = await measureChanges(changes, request, edges);
  return answerChange(changes, measured, request, edges);
}

/** verdict → report → publish: judges the measurements of a change, writes the result files and answers. */
export async function answerChange(
  changes: ChangeSet,
  measured: { readonly base: Measurement; readonly head: Measurement },
  request: Pick<GateRequest, 'policy' | 'report'>,
  edges: Edges,
): Promise<GateResult> {
  const now = new Date(edges.nowMs());
  const today = now.toISOString().slice(0, 10);
  const verdict = judgeChange({ ...measured, ...changes.policies, today });
  const conclusion = concludeStep(verdict, request.policy);
  const reports = renderReports(verdict, {
    modelPaths: Object.fromEntries(changes.models.map((model) => [model.id, model.path])),
    waiveUntil: new Date(now.getTime() + WAIVER_DAYS * 86_400_000).toISOString().slice(0, 10),
    restartTables: restartTables(measured.base, measured.head),
    ...request.report,
    enforced: request.policy.enforce,
    ...(conclusion.remark === null ? {} : { remark: conclusion.remark }),
  });
  const files = await edges.saveFiles({
    'base.measurement.json': measurementToJson(measured.base),
    'head.measurement.json': measurementToJson(measured.head),
    'verdict.json': verdictToJson(verdict),
    'report.md': reports.summary,
  });
  const published = await edges.publisher?.publish(publicationOf(verdict, reports, conclusion));
  return {
    verdict,
    conclusion,
    reports,
    files,
    commentUrl: published?.commentUrl ?? null,
    measuredModels: changes.models.map((model) => model.id),
  };
}

/** A waiver is proposed for a month: long enough to mend, short enough to be seen again. */
const WAIVER_DAYS = 30;

/** One measurement file's text. */
export function measurementToJson(measurement: Measurement): string {
  return `${JSON.stringify(measurement)}\n`;
}

/** baseline → plan → measure ⇄ compare: the two measurement files of what a change touches. */
export async function measureChanges(changes: ChangeSet, request: MeasureRequest, edges: Edges) {
  const plans = [];
  const machine = await edges.inspectMachine(changes.models.map((model) => model.headConfig));
  for (const change of changes.models) plans.push(planChange(change, await edges.readArms(change), machine));
  const groups = plans.flatMap((plan) => plan.groups);
  const { measurer, machineNotes, release } = await edges.openMeasurer(groups);
  try {
    return await gateModels(
      {
        groups,
        faults: plans.flatMap((plan) => plan.faults),
        config: changes.policies.inForce,
        environment: machine.environment(groups.map((group) => group.provider)),
        session: edges.newSession(),
        notes: [...notesOf(changes, request), ...distinct(plans.flatMap((plan) => plan.notes))],
        commits: { base: changes.base?.commit ?? null, head: changes.head.commit },
        failFast: request.failFast,
        ...(request.family ? { family: request.family } : {}),
      },
      { ...edges, measurer, machineNotes },
    );
  } finally {
    await release();
  }
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
