import { NoVerdictError, RefusedError } from '../errors.ts';
import { quoteName } from '../inputs/suggestion.ts';
import type { Trigger } from '../inputs/trigger.ts';
import type { BaseRevision, ChangeNote } from './change-set.ts';

/** What finding the base asks of git; the clone is deepened where it must be. Commits are full ids. */
export interface History {
  /** Commit of any name git understands here; null where it understands none. */
  readonly resolve: (name: string) => Promise<string | null>;
  readonly parents: (commit: string) => Promise<string[]>;
  /** Makes a commit available; false where neither the clone nor the remote has it. */
  readonly fetchCommit: (commit: string) => Promise<boolean>;
  readonly mergeBase: (one: string, other: string) => Promise<string | null>;
  /** Tip of the remote's default branch; `branch` is its name where that is known. */
  readonly defaultBranch: (branch: string | null) => Promise<string | null>;
  /** Commit of a branch or tag that only the remote knows. */
  readonly remoteCommit: (name: string) => Promise<string | null>;
  readonly previousTag: (commit: string) => Promise<{ readonly tag: string; readonly commit: string } | null>;
}

export interface ResolvedBase {
  /** Null where there is nothing to compare with: every model is new. */
  readonly base: BaseRevision | null;
  readonly notes: readonly ChangeNote[];
}

/** First seven digits, as people write commits. */
export function shortCommit(commit: string): string {
  return commit.slice(0, 7);
}

/**
 * The base commit for a trigger; DESIGN §8. Never an older ancestor than the one that is meant.
 * @param accepted commit of the newest accepted session, where there is one
 * @throws RefusedError for a name that is no commit, NoVerdictError where base can't be had or the checkout is another's.
 */
export async function resolveBase(
  trigger: Pick<Trigger, 'baseSource' | 'headSha'>,
  head: string,
  accepted: string | null,
  history: History,
): Promise<ResolvedBase> {
  const { baseSource: source, headSha } = trigger;
  switch (source.kind) {
    case 'ref':
      return { base: await fromName(source.ref, history), notes: [] };
    case 'pull-request':
      return { base: await fromPullRequest(source, head, history), notes: [] };
    case 'merge-group':
      checkHead(head, headSha);
      await needCommit(source.baseSha, 'the merge group', history);
      return { base: describe(source.baseSha, 'base of the merge group'), notes: [] };
    case 'accepted':
      checkHead(head, headSha);
      return fromAccepted(source, head, accepted, history);
    case 'default-branch':
      return { base: await fromDefaultBranch(source.branch, head, history), notes: [] };
  }
}

function describe(commit: string, origin: string): BaseRevision {
  return { commit, describe: `${shortCommit(commit)} (${origin})` };
}

/** A verdict on one commit must not become the status of another. */
function checkHead(head: string, expected: string | null): void {
  if (expected !== null && expected !== head)
    throw new NoVerdictError(
      `the checked-out commit ${shortCommit(head)} is not the event's ${shortCommit(expected)}: take \`ref\` out of actions/checkout`,
    );
}

async function needCommit(commit: string, whose: string, history: History): Promise<void> {
  if (!(await history.fetchCommit(commit)))
    throw new NoVerdictError(
      `commit ${shortCommit(commit)} of ${whose} is neither in this clone nor to be had from its remote: set \`fetch-depth: 0\` in actions/checkout`,
    );
}

async function fromName(name: string, history: History): Promise<BaseRevision> {
  const commit = (await history.resolve(name)) ?? (await history.remoteCommit(name));
  if (commit === null)
    throw new RefusedError(
      `the base ${quoteName(name)} is no commit, branch or tag here or on the remote: correct the name`,
    );
  return describe(commit, `given as ${quoteName(name)}`);
}

async function fromPullRequest(
  { headSha, baseSha }: { readonly headSha: string; readonly baseSha: string },
  head: string,
  history: History,
): Promise<BaseRevision> {
  const [first, second, ...more] = await history.parents(head);
  if (first !== undefined && second === headSha && more.length === 0) {
    await needCommit(first, 'the base branch', history);
    return describe(first, 'first parent of the merge commit');
  }
  if (head !== headSha)
    throw new NoVerdictError(
      `the checked-out commit ${shortCommit(head)} is neither the pull request's head ${shortCommit(headSha)} nor its merge commit: take \`ref\` out of actions/checkout, or check out refs/pull/NUMBER/merge`,
    );
  await needCommit(baseSha, 'the base branch', history);
  const commit = await history.mergeBase(baseSha, head);
  if (commit === null) throw new NoVerdictError('the pull request shares no commit with its base branch: rebase it');
  return describe(commit, 'merge base with the base branch');
}

async function fromAccepted(
  source: Extract<Trigger['baseSource'], { kind: 'accepted' }>,
  head: string,
  accepted: string | null,
  history: History,
): Promise<ResolvedBase> {
  const notes: ChangeNote[] = [];
  const candidates = [
    { commit: accepted, origin: 'newest accepted session' },
    { commit: source.before, origin: 'before the push' },
  ];
  for (const { commit, origin } of candidates) {
    if (commit === null) continue;
    const found = await ancestorFrom(commit, origin, head, history);
    notes.push(...found.notes);
    if (found.base) return { base: found.base, notes };
  }
  const tag = source.orPreviousTag ? await history.previousTag(head) : null;
  if (tag) return { base: describe(tag.commit, `previous tag ${quoteName(tag.tag)}`), notes };
  const isLost = candidates.some(({ commit }) => commit !== null);
  const trunk = source.orPreviousTag && !isLost ? null : await history.defaultBranch(null);
  const fork = trunk === null || trunk === head ? null : await history.mergeBase(trunk, head);
  if (fork !== null) return { base: describe(fork, 'merge base with the default branch'), notes };
  if (isLost)
    throw new NoVerdictError(
      'the commit to compare with is gone (force push) and no merge base is left: give `base-ref`',
    );
  const text = 'No accepted session and no earlier tag: there is nothing to compare with yet.';
  return { base: null, notes: [...notes, { code: 'no-base', text, headline: true }] };
}

/** The commit itself where head descends from it; the merge base, said so, where history was rewritten. */
async function ancestorFrom(commit: string, origin: string, head: string, history: History): Promise<ResolvedBase> {
  const gone = `Commit ${shortCommit(commit)} (${origin})`;
  if (!(await history.fetchCommit(commit)))
    return { base: null, notes: [{ code: 'base-gone', text: `${gone} no longer exists.`, headline: true }] };
  const shared = await history.mergeBase(commit, head);
  if (shared === commit) return { base: describe(commit, origin), notes: [] };
  const text = `${gone} is not in this history (force push?)`;
  if (shared === null)
    return {
      base: null,
      notes: [{ code: 'base-rewritten', text: `${text}, which shares no commit with it.`, headline: true }],
    };
  return {
    base: describe(shared, `merge base with ${shortCommit(commit)}, ${origin}`),
    notes: [
      { code: 'base-rewritten', text: `${text}: compared with the merge base ${shortCommit(shared)}.`, headline: true },
    ],
  };
}

async function fromDefaultBranch(branch: string | null, head: string, history: History): Promise<BaseRevision> {
  const tip = await history.defaultBranch(branch);
  if (tip === null)
    throw new RefusedError(
      'no remote with a default branch to compare with: name the base with `--base REF` (`base-ref`)',
    );
  const commit = await history.mergeBase(tip, head);
  if (commit === null)
    throw new NoVerdictError(
      'this history shares no commit with the default branch: name the base with `--base REF` (`base-ref`)',
    );
  return describe(commit, `merge base with ${branch === null ? 'the default branch' : quoteName(branch)}`);
}
