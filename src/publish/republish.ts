import { describeThrown, NoVerdictError, RefusedError } from '../errors.ts';
import { cleanText, escapeMarkdown } from '../report/escape.ts';
import type { ReportTexts } from '../report/render-reports.ts';
import type { Verdict } from '../verdict/verdict.ts';
import { noteOfFailure, READING_RESULT } from './api-notes.ts';
import { faultPublication } from './fault-publication.ts';
import { GitHubApiError } from './github-api.ts';
import { type ArtifactInfo, chooseArtifact, readHostileVerdict } from './hostile-artifact.ts';
import { concludeStep, publicationOf, type StepPolicy } from './publication.ts';
import type { Publication, Published, Publisher } from './publisher.ts';
import {
  findSourcePull,
  findWorkflowEdit,
  type MeasuringRun,
  type PullCandidate,
  type SourcePull,
} from './source-pull.ts';

/** What publishing another run's result needs from the world. Methods may throw GitHubApiError. */
export interface RepublishEdges {
  readRun(runId: number): Promise<MeasuringRun>;
  findPulls(run: MeasuringRun): Promise<readonly PullCandidate[]>;
  /** All files a pull request touches at `headSha`, old names of renamed ones too; null where they can't all be known. */
  listFiles(pullNumber: number, headSha: string): Promise<readonly string[] | null>;
  listArtifacts(runId: number, name: string): Promise<readonly ArtifactInfo[]>;
  /** @throws RefusedError where it is larger than `limitBytes`. */
  download(artifactId: number): Promise<Uint8Array>;
  openPublisher(run: MeasuringRun, pullNumber: number | null): Publisher;
  render(verdict: Verdict, run: MeasuringRun, policy: StepPolicy): ReportTexts;
}

export interface RepublishRequest {
  /** `owner/name` of the repository this workflow belongs to. */
  readonly repository: string;
  readonly runId: number;
  readonly artifactName: string;
  readonly policy: StepPolicy;
}

export interface Republished extends Published {
  readonly outcome: Publication['outcome'];
  readonly verdict: Verdict | null;
  readonly pullNumber: number | null;
}

const ORIGIN =
  "<sub>Measured by the pull request's own run and posted from its artifact: it is as trustworthy as that run.</sub>";

/**
 * Publishes what a run on a fork's pull request measured. Everything in its artifact is hostile; where it goes
 * (commit, pull request) comes from the event and the API alone.
 * @throws RefusedError where the run is not one of a pull request, NoVerdictError where GitHub won't tell.
 */
export async function republish(edges: RepublishEdges, request: RepublishRequest): Promise<Republished> {
  const run = await readable(edges.readRun(request.runId));
  if (run.event !== 'pull_request')
    throw new RefusedError(
      `run ${run.id} was started by ${cleanText(run.event, 50)}: only pull_request runs are published for forks`,
    );
  const pull = findSourcePull(await readable(edges.findPulls(run)), run, request.repository);
  const number = pull.kind === 'current' ? pull.number : null;
  const { verdict, publication } = await judgeResult(edges, request, run, pull);
  const published = await edges.openPublisher(run, number).publish(publication);
  const silence = pull.kind === 'none' ? [{ code: 'comment-not-written', text: `no comment: ${pull.reason}` }] : [];
  return {
    ...published,
    notes: [...published.notes, ...silence],
    outcome: publication.outcome,
    verdict,
    pullNumber: number,
  };
}

/** A call whose failure leaves no verdict, with the reason and the permission. */
async function readable<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (thrown) {
    if (thrown instanceof GitHubApiError) throw new NoVerdictError(noteOfFailure(READING_RESULT, thrown).text);
    throw thrown;
  }
}

async function judgeResult(
  edges: RepublishEdges,
  request: RepublishRequest,
  run: MeasuringRun,
  pull: SourcePull,
): Promise<{ readonly verdict: Verdict | null; readonly publication: Publication }> {
  try {
    const artifacts = await readable(edges.listArtifacts(run.id, request.artifactName));
    const artifact = chooseArtifact(artifacts, request.artifactName);
    const verdict = readHostileVerdict(await readable(edges.download(artifact.id)));
    const publication = publicationOf(
      verdict,
      edges.render(verdict, run, request.policy),
      concludeStep(verdict, request.policy),
    );
    const doubt = await findDoubt(edges, request, run, pull);
    return { verdict, publication: doubt === null ? withOrigin(publication) : distrusted(publication, doubt) };
  } catch (thrown) {
    if (thrown instanceof RefusedError) return { verdict: null, publication: failed('refused', thrown) };
    if (thrown instanceof NoVerdictError) return { verdict: null, publication: failed('no-verdict', thrown) };
    throw thrown;
  }
}

function withOrigin(publication: Publication): Publication {
  return { ...publication, commentBody: `${publication.commentBody.trimEnd()}\n\n${ORIGIN}` };
}

/** Why the result can't turn a status green: a fork's change that writes the rules it is measured by, or no change. */
async function findDoubt(
  edges: RepublishEdges,
  { repository }: RepublishRequest,
  run: MeasuringRun,
  pull: SourcePull,
): Promise<string | null> {
  if (run.headRepository === repository) return null;
  if (pull.kind === 'none') return pull.reason;
  const edited = findWorkflowEdit(await readable(edges.listFiles(pull.number, run.headSha)));
  return edited === null ? null : `the pull request edits what measures it: ${edited}`;
}

function distrusted(publication: Publication, doubt: string): Publication {
  const warning = `> [!WARNING]\n> This result does not count: ${escapeMarkdown(doubt, 200)}. A maintainer has to run the gate.`;
  return {
    ...withOrigin({ ...publication, commentBody: `${warning}\n\n${publication.commentBody}` }),
    outcome: publication.outcome === 'pass' ? 'no-verdict' : publication.outcome,
    state: publication.state === 'success' ? 'error' : publication.state,
    headline: `does not count, ${cleanText(doubt, 80)}; measured: ${publication.headline}`,
    models: 'changed',
  };
}

function failed(outcome: 'refused' | 'no-verdict', thrown: Error): Publication {
  const reason = describeThrown(thrown);
  return {
    ...faultPublication(outcome, reason),
    annotations: [{ level: 'error', title: 'Model Gate', message: reason }],
  };
}
