import { strToU8, zipSync } from 'fflate';
import { type Republished, republish } from '../../src/publish/republish.ts';
import { createRepublishEdges } from '../../src/publish/republish-edge.ts';
import type { Verdict } from '../../src/verdict/verdict.ts';
import { addPull, type FileState, type PullState, type RunState, TOKEN } from '../fakes/github-server-state.ts';
import { buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { openWorld } from './publishing.ts';

export const FORK_HEAD = 'f'.repeat(40);
export const FORK_PULL = 12;
export const PASS = buildVerdict([buildRow()]);
const RUN = 555;
const FORK = { headOwner: 'mallory', headRepositoryId: 2002 };

/** A GitHub on which run 555 measured pull request 12 of the fork `mallory/ranking`. */
export async function openForkWorld() {
  const world = await openWorld();
  const { state } = world.server;
  return {
    ...world,
    openFork({
      pull = {},
      run = {},
    }: {
      readonly pull?: Partial<PullState>;
      readonly run?: Partial<RunState>;
    } = {}): void {
      const files: FileState[] = [{ filename: 'models/ranker.onnx', status: 'modified' }];
      addPull(state, { number: FORK_PULL, headSha: FORK_HEAD, headRef: 'patch-1', files, ...FORK, ...pull });
      state.commits.add(FORK_HEAD);
      state.runs.set(RUN, {
        id: RUN,
        attempt: 1,
        headSha: FORK_HEAD,
        headBranch: 'patch-1',
        event: 'pull_request',
        path: '.github/workflows/gate.yml',
        conclusion: 'success',
        ...FORK,
        ...run,
      });
    },
    leaveArtifact(verdict: Verdict | Uint8Array, name = 'model-gate-results'): void {
      const isArchive = verdict instanceof Uint8Array;
      const content = isArchive ? verdict : zipSync({ 'verdict.json': strToU8(JSON.stringify(verdict)) });
      const id = state.nextId++;
      state.artifacts.push({ id, runId: RUN, name, content, claimedBytes: content.length, expired: false });
    },
    publishRun(): Promise<Republished> {
      const edges = createRepublishEdges({
        owner: 'acme',
        repo: 'ranking',
        token: TOKEN,
        apiUrl: world.server.apiUrl,
        commentMode: 'always',
        statusContext: 'model-gate',
        summaryFile: world.summaryFile,
        wait: async () => {},
      });
      const policy = { enforce: true, 'on-no-verdict': 'fail' } as const;
      return republish(edges, { repository: 'acme/ranking', runId: RUN, artifactName: 'model-gate-results', policy });
    },
    lastStatus: () => state.statuses.at(-1),
    forkComments: () => state.comments.filter(({ issue }) => issue === FORK_PULL),
  };
}

export type ForkWorld = Awaited<ReturnType<typeof openForkWorld>>;
