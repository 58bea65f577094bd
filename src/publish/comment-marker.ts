import type { PublishedOutcome } from './publisher.ts';

/** One publishing of a verdict on a head: workflow run, its attempt, and what came out. */
export interface Attempt {
  readonly runId: string;
  readonly runAttempt: number;
  readonly outcome: PublishedOutcome;
}

/** What a comment of ours remembers in its first line, invisible to readers. */
export interface CommentMarker {
  /** The status context: two gates in one repository keep two comments. */
  readonly context: string;
  readonly headSha: string;
  /** Attempts on this head, oldest first; the last one wrote the body. */
  readonly attempts: readonly Attempt[];
}

const OUTCOMES: readonly PublishedOutcome[] = ['pass', 'fail', 'no-verdict', 'refused', 'cancelled'];
const KEPT_ATTEMPTS = 40;
const MARKER =
  /^<!-- model-gate context=(\S*) head=([0-9a-f]{40}|[0-9a-f]{64}) attempts=([0-9a-z.:,-]*) -->(?:\r?\n|$)/;
const ATTEMPT = /^(\d{1,20})\.(\d{1,6}):([a-z-]+)$/;

/** The marker line; holds no text that could end the HTML comment. */
export function formatMarker(marker: CommentMarker): string {
  const attempts = marker.attempts
    .slice(-KEPT_ATTEMPTS)
    .map(({ runId, runAttempt, outcome }) => `${runId}.${runAttempt}:${outcome}`);
  return `<!-- model-gate context=${encodeURIComponent(marker.context)} head=${marker.headSha} attempts=${attempts.join(',')} -->`;
}

/** The marker a comment body begins with; null where the comment is not ours. A marker further down is quoted text. */
export function parseMarker(body: string): CommentMarker | null {
  const match = MARKER.exec(body);
  if (!match) return null;
  const [, context = '', headSha = '', attempts = ''] = match;
  return { context: decodeContext(context), headSha, attempts: attempts.split(',').flatMap(parseAttempt) };
}

function decodeContext(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseAttempt(text: string): Attempt[] {
  const [, runId, runAttempt, word] = ATTEMPT.exec(text) ?? [];
  const outcome = OUTCOMES.find((known) => known === word);
  return runId && runAttempt && outcome ? [{ runId, runAttempt: Number(runAttempt), outcome }] : [];
}
