import { NoVerdictError, RefusedError } from '../errors.ts';
import { renderReports } from '../report/render-reports.ts';
import { createClient } from './github-client-edge.ts';
import { ARTIFACT_LIMIT_BYTES } from './hostile-artifact.ts';
import { createPublisher, type PublisherOptions } from './publisher-edge.ts';
import type { RepublishEdges } from './republish.ts';
import { PATIENT } from './retry-policy.ts';
import type { MeasuringRun, PullCandidate } from './source-pull.ts';

export interface RepublishOptions extends Omit<PublisherOptions, 'target' | 'run'> {
  readonly owner: string;
  readonly repo: string;
}

/** What publishing another run's result asks of GitHub, and the publisher that answers on the pull request found. */
export function createRepublishEdges(options: RepublishOptions): RepublishEdges {
  const { owner, repo, patience = PATIENT } = options;
  const { token, apiUrl, wait } = options;
  const client = createClient({ token, apiUrl, patience, ...(wait ? { wait } : {}) });
  const { actions, pulls, repos } = client.rest;
  return {
    openPublisher: (run, pullNumber) =>
      createPublisher({
        ...options,
        target: { owner, repo, headSha: run.headSha, pullNumber },
        run: { id: String(run.id), attempt: run.attempt, url: run.url },
      }),
    render: (verdict, run, { enforce }) => renderReports(verdict, { workflowUrl: run.url, enforced: enforce }),
    async readRun(runId) {
      const { data } = await actions.getWorkflowRun({ owner, repo, run_id: runId });
      return {
        id: data.id,
        attempt: data.run_attempt ?? 1,
        url: data.html_url,
        event: data.event,
        headSha: data.head_sha,
        headBranch: data.head_branch,
        headRepository: data.head_repository?.full_name ?? null,
      };
    },
    async findPulls(run) {
      const head = headFilter(run);
      const open =
        head === null ? [] : await client.paginate(pulls.list, { owner, repo, head, state: 'open', per_page: 100 });
      if (open.length > 0) return open.map(readPull);
      const bySha = { owner, repo, commit_sha: run.headSha, per_page: 100 };
      return (await client.paginate(repos.listPullRequestsAssociatedWithCommit, bySha)).map(readPull);
    },
    async listFiles(pullNumber, headSha) {
      const pull = { owner, repo, pull_number: pullNumber };
      const files = await client.paginate(pulls.listFiles, { ...pull, per_page: 100 });
      // Read last: a head that moved meanwhile makes the list one of another change.
      const { data } = await pulls.get(pull);
      if (data.head.sha !== headSha || data.changed_files !== files.length) return null;
      return files.flatMap((file) => [file.filename, ...(file.previous_filename ? [file.previous_filename] : [])]);
    },
    async listArtifacts(runId, name) {
      const listed = await client.paginate(actions.listWorkflowRunArtifacts, {
        owner,
        repo,
        run_id: runId,
        name,
        per_page: 100,
      });
      return listed.map(({ id, name: own, size_in_bytes, expired }) => ({
        id,
        name: own,
        sizeBytes: size_in_bytes,
        expired,
      }));
    },
    async download(artifactId) {
      const { data } = await actions.downloadArtifact({
        owner,
        repo,
        artifact_id: artifactId,
        archive_format: 'zip',
        request: { parseSuccessResponseBody: false },
      });
      return readLimited(data as AsyncIterable<Uint8Array>, ARTIFACT_LIMIT_BYTES);
    },
  };
}

/** `owner:branch`, by which the API finds a fork's pull request. */
function headFilter({ headRepository, headBranch }: MeasuringRun): string | null {
  return headRepository === null || headBranch === null ? null : `${headRepository.split('/')[0]}:${headBranch}`;
}

function readPull(data: {
  readonly number: number;
  readonly state: string;
  readonly head: { readonly sha: string; readonly repo: { readonly full_name: string } | null };
  readonly base: { readonly repo: { readonly full_name: string } };
}): PullCandidate {
  return {
    number: data.number,
    isOpen: data.state === 'open',
    headSha: data.head.sha,
    headRepository: data.head.repo?.full_name ?? null,
    baseRepository: data.base.repo.full_name,
  };
}

/** What GitHub said about the size is not believed: reading ends at the limit. */
async function readLimited(stream: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > limitBytes) throw new RefusedError(`the artifact is larger than ${limitBytes / 1024 ** 2} MiB`);
      chunks.push(chunk);
    }
  } catch (thrown) {
    if (thrown instanceof RefusedError) throw thrown;
    throw new NoVerdictError('the download of the artifact broke off: run this job again');
  }
  return Buffer.concat(chunks);
}
