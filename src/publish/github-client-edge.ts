import { setTimeout as sleep } from 'node:timers/promises';
import { getOctokit } from '@actions/github';
import { NoVerdictError } from '../errors.ts';
import { GitHubApiError } from './github-api.ts';
import { type ApiFailure, type Patience, retryDelayMs } from './retry-policy.ts';

export type GitHubClient = ReturnType<typeof getOctokit>;

export interface ClientOptions {
  readonly token: string;
  /** `GITHUB_API_URL`: an Enterprise Server has its own. */
  readonly apiUrl: string;
  readonly patience: Patience;
  readonly wait?: (durationMs: number) => Promise<unknown>;
}

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * A client that waits out rate limits and repeats what can't be doubled; every failure of a call is a GitHubApiError.
 * @throws NoVerdictError where there is no token.
 */
export function createClient({ token, apiUrl, patience, wait = sleep }: ClientOptions): GitHubClient {
  if (token === '') throw new NoVerdictError('GitHub can not be asked: give the step a github-token');
  const client = getOctokit(token, { baseUrl: apiUrl, log: SILENT });
  client.hook.wrap('request', async (request, options) => {
    for (let attempt = 1; ; attempt++) {
      try {
        const signal = AbortSignal.timeout(patience.requestTimeoutMs);
        return await request({ ...options, request: { ...options.request, signal } });
      } catch (thrown) {
        const failure = readFailure(thrown, options);
        const delayMs = retryDelayMs(failure, attempt, Date.now() / 1000, patience);
        if (delayMs === null) throw new GitHubApiError(failure);
        await wait(delayMs);
      }
    }
  });
  return client;
}

interface RequestFailure {
  readonly status?: number;
  readonly message?: string;
  readonly request?: { readonly url?: string };
  readonly response?: { readonly headers?: Record<string, string | number | undefined> };
}

/** Octokit gives a dropped connection the status 500 and no response. */
function readFailure(thrown: unknown, options: { readonly method: string; readonly url: string }): ApiFailure {
  const { status, message, request, response } = (thrown ?? {}) as RequestFailure;
  const header = (name: string) => numberOrNull(response?.headers?.[name]);
  return {
    method: options.method,
    path: pathOf(request?.url ?? options.url),
    status: response === undefined ? null : (status ?? null),
    message: message ?? String(thrown),
    retryAfterS: header('retry-after'),
    rateLimitRemaining: header('x-ratelimit-remaining'),
    rateLimitResetS: header('x-ratelimit-reset'),
  };
}

function numberOrNull(value: string | number | undefined): number | null {
  const number = value === undefined || value === '' ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : url;
}
