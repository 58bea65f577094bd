import { type Attempt, type CommentMarker, formatMarker, parseMarker } from './comment-marker.ts';
import type { CommentMode, PublishedOutcome } from './publisher.ts';

/** GitHub refuses longer bodies with 422. */
export const COMMENT_LIMIT = 65_536;
/** Characters a ready-made body may use: the rest holds the marker and the line of attempts. */
export const COMMENT_BUDGET = 64_000;

const SHOWN_ATTEMPTS = 5;

export interface Comment {
  readonly id: number;
  readonly author: string | null;
  readonly body: string;
  readonly url: string;
}

/** What one run wants to say on one head. */
export interface WantedComment {
  readonly context: string;
  readonly mode: CommentMode;
  readonly headSha: string;
  /** The pull request's head at this moment; null where it could not be read. */
  readonly currentHead: string | null;
  readonly runId: string;
  readonly runAttempt: number;
  readonly outcome: PublishedOutcome;
  readonly models: 'changed' | 'none';
  readonly body: string;
}

export interface CommentPlan {
  readonly write:
    | { readonly kind: 'create'; readonly body: string }
    | { readonly kind: 'update'; readonly id: number; readonly url: string; readonly body: string }
    | { readonly kind: 'none'; readonly url: string | null; readonly reason: string };
  /** Doubles of our comment. */
  readonly remove: readonly number[];
}

interface OwnComment extends Comment {
  readonly marker: CommentMarker;
}

/**
 * What to do with the comments of a pull request so that exactly one of ours is left and it tells of the newest head.
 * Ours are the ones by `author` that begin with our marker; of several the one with the newest run survives.
 */
export function planComment(existing: readonly Comment[], author: string, wanted: WantedComment): CommentPlan {
  const own = existing
    .flatMap((comment) => ownComment(comment, author, wanted.context))
    .sort((a, b) => compareNewness(a, b, wanted.currentHead));
  const survivor = own.at(-1) ?? null;
  const remove = own.slice(0, -1).map((comment) => comment.id);
  return { write: planWrite(survivor, own, wanted), remove };
}

function planWrite(
  survivor: OwnComment | null,
  own: readonly OwnComment[],
  wanted: WantedComment,
): CommentPlan['write'] {
  const silence = reasonForSilence(survivor, wanted);
  if (silence) return { kind: 'none', url: survivor?.url ?? null, reason: silence };
  const body = composeBody(wanted, attemptsOn(wanted, own));
  if (!survivor) return { kind: 'create', body };
  if (sameText(survivor.body, body)) return { kind: 'none', url: survivor.url, reason: 'already says this' };
  return { kind: 'update', id: survivor.id, url: survivor.url, body };
}

function reasonForSilence(survivor: OwnComment | null, wanted: WantedComment): string | null {
  if (wanted.mode === 'never') return 'comments are turned off';
  if (isOutdated(survivor, wanted)) return 'a newer head or run has the word';
  if (survivor) return null;
  // A comment that stands is always kept true; only its first appearance depends on the mode.
  if (wanted.mode === 'on-failure' && wanted.outcome === 'pass') return 'passed';
  if (wanted.mode === 'on-change' && wanted.outcome === 'pass' && wanted.models === 'none') return 'no model changed';
  return null;
}

function isOutdated(survivor: OwnComment | null, wanted: WantedComment): boolean {
  if (wanted.currentHead !== null && wanted.currentHead !== wanted.headSha) return true;
  if (survivor === null) return false;
  const newerRunSpoke = compareRunIds(newestRunId(survivor), wanted.runId) > 0;
  // On one head the last verdict counts, whichever run gives it; a cancelled run has none to give.
  if (survivor.marker.headSha === wanted.headSha) return wanted.outcome === 'cancelled' && newerRunSpoke;
  return wanted.currentHead === null && newerRunSpoke;
}

function attemptsOn(wanted: WantedComment, own: readonly OwnComment[]): Attempt[] {
  const mine: Attempt = { runId: wanted.runId, runAttempt: wanted.runAttempt, outcome: wanted.outcome };
  const earlier = own
    .filter(({ marker }) => marker.headSha === wanted.headSha)
    .flatMap(({ marker }) => marker.attempts);
  const byRun = new Map(earlier.map((attempt) => [`${attempt.runId}.${attempt.runAttempt}`, attempt]));
  byRun.delete(`${mine.runId}.${mine.runAttempt}`);
  return [...byRun.values(), mine];
}

function composeBody(wanted: WantedComment, attempts: readonly Attempt[]): string {
  const marker = formatMarker({ context: wanted.context, headSha: wanted.headSha, attempts });
  const history = attempts.length < 2 ? '' : `\n\n<sub>${describeAttempts(attempts)}</sub>`;
  const room = COMMENT_LIMIT - marker.length - history.length - 1;
  return `${marker}\n${shortenMarkdown(wanted.body, room)}${history}`;
}

/** "attempt 3 on this head; earlier: no verdict, fail". */
function describeAttempts(attempts: readonly Attempt[]): string {
  const earlier = attempts.slice(0, -1).map(({ outcome }) => outcome.replace('-', ' '));
  const shown = [...(earlier.length > SHOWN_ATTEMPTS ? ['…'] : []), ...earlier.slice(-SHOWN_ATTEMPTS)];
  return `attempt ${attempts.length} on this head; earlier: ${shown.join(', ')}`;
}

/** `text` in at most `room` characters, cut at a line's end and saying so. */
export function shortenMarkdown(text: string, room: number): string {
  if (text.length <= room) return text;
  const notice = '\n\n… shortened: the whole report is in the job summary.';
  const kept = text.slice(0, room - notice.length);
  const lineEnd = kept.lastIndexOf('\n');
  return `${lineEnd > 0 ? kept.slice(0, lineEnd) : kept}${notice}`;
}

function ownComment(comment: Comment, author: string, context: string): OwnComment[] {
  const marker = comment.author === author ? parseMarker(comment.body) : null;
  return marker?.context === context ? [{ ...comment, marker }] : [];
}

function compareNewness(a: OwnComment, b: OwnComment, currentHead: string | null): number {
  const current = Number(a.marker.headSha === currentHead) - Number(b.marker.headSha === currentHead);
  return current || compareRunIds(newestRunId(a), newestRunId(b)) || a.id - b.id;
}

function newestRunId(comment: OwnComment): string {
  return (
    comment.marker.attempts
      .map(({ runId }) => runId)
      .sort(compareRunIds)
      .at(-1) ?? '0'
  );
}

/** Run ids grow with creation; a re-run keeps its id, so they order heads though attempts finish late. */
function compareRunIds(a: string, b: string): number {
  const [first, second] = [BigInt(a), BigInt(b)];
  return first < second ? -1 : Number(first > second);
}

function sameText(a: string, b: string): boolean {
  return a.replaceAll('\r\n', '\n').trimEnd() === b.replaceAll('\r\n', '\n').trimEnd();
}
