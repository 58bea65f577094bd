/** What an edge knows about one failed call of the GitHub API. */
export interface ApiFailure {
  readonly method: string;
  readonly path: string;
  /** HTTP status; null where the connection was dropped or timed out, so that nobody knows whether it was done. */
  readonly status: number | null;
  readonly message: string;
  readonly retryAfterS: number | null;
  /** Requests left in the current window, and when it ends (seconds since 1970). */
  readonly rateLimitRemaining: number | null;
  readonly rateLimitResetS: number | null;
}

/** How long a caller can wait for GitHub. */
export interface Patience {
  readonly longestWaitMs: number;
  readonly requestTimeoutMs: number;
}

export const PATIENT: Patience = { longestWaitMs: 120_000, requestTimeoutMs: 30_000 };
/** A cancelled job has 7.5 s left. */
export const HURRIED: Patience = { longestWaitMs: 1000, requestTimeoutMs: 2000 };

const ATTEMPTS = 4;
const SECONDARY_LIMIT_WAIT_MS = 60_000;

/** Whether GitHub refused the call unread because too many came: repeating can't double anything. */
export function isRateLimited(failure: ApiFailure): boolean {
  if (failure.status !== 403 && failure.status !== 429) return false;
  return (
    failure.status === 429 || failure.retryAfterS !== null || failure.rateLimitRemaining === 0 || isSecondary(failure)
  );
}

/** Whether the call may have been done although it failed. */
export function isUnsettled(failure: ApiFailure): boolean {
  return failure.status === null || failure.status >= 500 || failure.status === 408;
}

/** Milliseconds to wait before repeating an unsettled call: 1, 4, 9 s. */
export function backoffMs(attempt: number): number {
  return attempt ** 2 * 1000;
}

/**
 * Milliseconds to wait before attempt `attempt + 1`; null where the call must not be repeated blindly.
 * A dropped or 5xx creation may have been done: its caller lists first (see sticky-comment.ts).
 */
export function retryDelayMs(failure: ApiFailure, attempt: number, nowS: number, patience: Patience): number | null {
  const waitMs = waitFor(failure, attempt, nowS);
  return attempt < ATTEMPTS && waitMs !== null && waitMs <= patience.longestWaitMs ? waitMs : null;
}

function waitFor(failure: ApiFailure, attempt: number, nowS: number): number | null {
  if (isRateLimited(failure)) return rateLimitWaitMs(failure, nowS);
  return isUnsettled(failure) && isRepeatable(failure) ? backoffMs(attempt) : null;
}

function rateLimitWaitMs(failure: ApiFailure, nowS: number): number {
  if (failure.retryAfterS !== null) return failure.retryAfterS * 1000;
  if (failure.rateLimitRemaining === 0 && failure.rateLimitResetS !== null)
    return Math.max(0, failure.rateLimitResetS - nowS + 1) * 1000;
  return SECONDARY_LIMIT_WAIT_MS;
}

function isSecondary(failure: ApiFailure): boolean {
  return /secondary rate limit|abuse detection/i.test(failure.message);
}

/** A second equal status is harmless, a second equal comment is not. */
function isRepeatable({ method, path }: ApiFailure): boolean {
  return method !== 'POST' || /\/statuses\/|\/graphql$/.test(path);
}
