import { setTimeout as sleep } from 'node:timers/promises';
import { createCommentApi, setCommitStatus } from './github-api-edge.ts';
import { createClient } from './github-client-edge.ts';
import { announce, type PublishOptions, publish } from './publish-verdict.ts';
import type { Publisher } from './publisher.ts';
import { PATIENT, type Patience } from './retry-policy.ts';
import { annotate, appendSummary, maskToken } from './step-edge.ts';

export interface PublisherOptions extends PublishOptions {
  readonly token: string;
  /** `GITHUB_API_URL`. */
  readonly apiUrl: string;
  /** `GITHUB_STEP_SUMMARY`. */
  readonly summaryFile: string | undefined;
  /** `HURRIED` when the job is being cancelled. */
  readonly patience?: Patience;
  readonly wait?: (durationMs: number) => Promise<unknown>;
}

/** The publisher of one verdict on GitHub. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { token, apiUrl, target, run, statusContext, summaryFile, patience = PATIENT, wait = sleep } = options;
  maskToken(token);
  const client = token === '' ? null : createClient({ token, apiUrl, patience, wait });
  const edges = {
    comments:
      client && createCommentApi(client, target, (durationMs) => wait(Math.min(durationMs, patience.longestWaitMs))),
    async setStatus(status: Parameters<typeof setCommitStatus>[2]['status']) {
      if (client === null) throw new Error('there is no github-token');
      await setCommitStatus(client, target, { context: statusContext, url: run.url, status });
    },
    appendSummary: (markdown: string) => appendSummary(markdown, summaryFile),
    annotate,
  };
  return {
    announce: () => announce(edges, options),
    publish: (publication) => publish(edges, options, publication),
  };
}
