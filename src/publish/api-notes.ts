import { describeThrown } from '../errors.ts';
import type { Note } from '../measure/measurement.ts';
import { cleanText } from '../report/escape.ts';
import { GitHubApiError } from './github-api.ts';
import { isRateLimited } from './retry-policy.ts';

/** What was tried, in words, and the permission it takes. */
export interface Undertaking {
  readonly code: string;
  /** Begins a sentence, as "the comment could not be written". */
  readonly failed: string;
  readonly permission: string;
  /** Where the reader finds it instead. */
  readonly instead: string;
}

export const COMMENTING: Undertaking = {
  code: 'comment-not-written',
  failed: 'the pull request comment could not be written',
  permission: 'pull-requests: write',
  instead: 'the report is in the job summary',
};

export const SETTING_STATUS: Undertaking = {
  code: 'status-not-set',
  failed: 'the commit status could not be set',
  permission: 'statuses: write',
  instead: "this job's own result is the gate",
};

export const READING_RESULT: Undertaking = {
  code: 'result-not-read',
  failed: 'the result of the measuring run could not be read',
  permission: 'actions: read, pull-requests: read',
  instead: 'nothing is known about this change, run this job again',
};

/** One line for a call that failed for good: what, why, which permission is missing. */
export function noteOfFailure(undertaking: Undertaking, thrown: unknown): Note {
  return {
    code: undertaking.code,
    text: `${undertaking.failed}: ${explain(undertaking, thrown)}; ${undertaking.instead}`,
  };
}

function explain({ permission }: Undertaking, thrown: unknown): string {
  if (!(thrown instanceof GitHubApiError)) return cleanText(describeThrown(thrown), 200);
  const { failure } = thrown;
  if (isRateLimited(failure)) return `GitHub's rate limit is used up (${failure.status})`;
  switch (failure.status) {
    case null:
      return `GitHub did not answer (${cleanText(failure.message, 200)})`;
    case 401:
      return 'the token is invalid or has expired (401), tokens of a job live 24 hours at most';
    case 403:
      return `the token may not do this (403): give the job "permissions: ${permission}"; a pull request from a fork never gets it, see "command: publish"`;
    case 404:
      return `GitHub does not show it to this token (404): give the job "permissions: ${permission}", or check the number`;
    default:
      return `GitHub answered ${failure.status} (${cleanText(failure.message, 200)})`;
  }
}
