import type { WriteReport } from './baseline/baseline-store.ts';
import type { Histories } from './baseline/model-history.ts';
import type { ChangeSet } from './changes/change-set.ts';
import { creepRowsByChain } from './compare/creep-rows.ts';
import { compareWithStored } from './compare/stored-rows.ts';
import type { Baselines, Edges } from './edges.ts';
import { describeThrown } from './errors.ts';
import type { Measurement } from './measure/measurement.ts';
import { type Measured, type MeasureRequest, measureChanges } from './measure-changes.ts';
import { sessionsToStore } from './publish/baseline-session.ts';
import { concludeStep, publicationOf, type StepConclusion, type StepPolicy } from './publish/publication.ts';
import { type ReportTexts, renderReports } from './report/render-reports.ts';
import type { ReportOptions } from './report/report-options.ts';
import { restartTables } from './report/restart-table.ts';
import { storedTrends } from './report/stored-trends.ts';
import { readHistories } from './stand-ins.ts';
import { judgeChange } from './verdict/judge-change.ts';
import type { Verdict } from './verdict/verdict.ts';
import { verdictToJson } from './verdict/verdict-json.ts';

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
  readonly stored: StoreResult;
}

/** What became of the sessions: a failed write is a fault of the step, not of the verdict, which is out by then. */
export type StoreResult = { readonly written: WriteReport | null } | { readonly fault: string };

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
  measured: Measured,
  request: Pick<GateRequest, 'policy' | 'report'>,
  edges: Edges,
): Promise<GateResult> {
  const now = new Date(edges.nowMs());
  const today = now.toISOString().slice(0, 10);
  const baselines = await edges.openBaselines();
  const models = measured.head.entries.map((entry) => entry.subject.model);
  const histories = await readHistories(models, measured.head.environment.class, baselines);
  const storedRows = rowsOfHistory(measured, changes, histories, today);
  const verdict = judgeChange({ ...measured, ...changes.policies, today, storedRows });
  const conclusion = concludeStep(verdict, request.policy);
  const reports = renderReports(verdict, {
    modelPaths: Object.fromEntries(changes.models.map((model) => [model.id, model.path])),
    waiveUntil: new Date(now.getTime() + WAIVER_DAYS * 86_400_000).toISOString().slice(0, 10),
    restartTables: restartTables(measured.base, measured.head),
    trend: storedTrends(verdict, histories),
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
    stored: await storeSessions(measured, verdict, now, baselines),
  };
}

/** Rows that need the store beside the files: bases that can't be run, and anchors that can't. */
function rowsOfHistory(measured: Measured, changes: ChangeSet, histories: Histories, today: string) {
  const book = { config: changes.policies.inForce, manifest: measured.head.manifest ?? null, today };
  return [...compareWithStored(measured.head, histories, book).rows, ...creepRowsByChain(measured, histories, book)];
}

async function storeSessions(
  measured: Measured,
  verdict: Verdict,
  now: Date,
  baselines: Baselines,
): Promise<StoreResult> {
  try {
    const sessions = sessionsToStore({ ...measured, verdict, acceptedAt: now.toISOString() });
    return { written: await baselines.store(sessions) };
  } catch (thrown) {
    return { fault: describeThrown(thrown) };
  }
}

/** A waiver is proposed for a month: long enough to mend, short enough to be seen again. */
const WAIVER_DAYS = 30;

/** One measurement file's text. */
export function measurementToJson(measurement: Measurement): string {
  return `${JSON.stringify(measurement)}\n`;
}
