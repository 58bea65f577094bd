import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Publication } from '../../src/publish/publisher.ts';
import { createPublisher, type PublisherOptions } from '../../src/publish/publisher-edge.ts';
import { startGitHubServer } from '../fakes/github-server.ts';
import { addPull, TOKEN } from '../fakes/github-server-state.ts';

export const HEAD = 'a'.repeat(40);
export const PULL = 7;

/** A passing publication with `change` applied. */
export function publicationOf(change: Partial<Publication> = {}): Publication {
  return {
    outcome: 'pass',
    state: 'success',
    headline: '12 checks within their margins',
    models: 'changed',
    commentBody: '### ✅ Model Gate: 12 checks within their margins',
    summary: '# Model Gate\n\nall is well\n',
    annotations: [],
    ...change,
  };
}

/** A GitHub with pull request 7, and a summary file; publishers made for it record what they wait instead of waiting. */
export async function openWorld(options: { readonly basePath?: string } = {}) {
  const server = await startGitHubServer(options);
  const pull = addPull(server.state, { number: PULL, headSha: HEAD });
  const folder = await mkdtemp(join(tmpdir(), 'model-gate-publish-'));
  const summaryFile = join(folder, 'summary.md');
  const waits: number[] = [];
  let printed = '';
  const stdout = jest.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text;
    return true;
  });
  return {
    server,
    /** Milliseconds that were waited for, as asked. */
    waits,
    /** What went to the runner: lines it reads as commands among them. */
    printed: () => printed,
    summaryFile,
    summary: () => readFile(summaryFile, 'utf8'),
    /** Pushes a new head to the pull request. */
    push(headSha: string) {
      pull.headSha = headSha;
      server.state.commits.add(headSha);
    },
    comments: () => server.state.comments.filter(({ issue }) => issue === PULL),
    bodies: () => server.state.comments.map(({ body }) => body),
    sent: (method: string, path: RegExp) =>
      server.requests.filter((request) => request.method === method && path.test(request.path)),
    publisherOf(
      change: Partial<PublisherOptions> & {
        readonly headSha?: string;
        readonly runId?: string;
        readonly attempt?: number;
      } = {},
    ) {
      const { headSha = HEAD, runId = '100', attempt = 1, ...rest } = change;
      return createPublisher({
        token: TOKEN,
        apiUrl: server.apiUrl,
        target: { owner: 'acme', repo: 'ranking', headSha, pullNumber: PULL },
        run: { id: runId, attempt, url: `https://github.test/acme/ranking/actions/runs/${runId}` },
        commentMode: 'always',
        statusContext: 'model-gate',
        summaryFile,
        wait: async (durationMs) => void waits.push(durationMs),
        ...rest,
      });
    },
    async close() {
      stdout.mockRestore();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}

export type World = Awaited<ReturnType<typeof openWorld>>;
