import { type CommentApi, GitHubApiError } from './github-api.ts';
import { type Comment, type CommentPlan, planComment, type WantedComment } from './plan-comment.ts';
import { backoffMs, isUnsettled } from './retry-policy.ts';

/** The author of comments made with a workflow's own token. */
const WORKFLOW_AUTHOR = 'github-actions[bot]';
const ROUNDS = 4;

export interface StickyResult {
  /** Page of the comment that is left; null where there is none. */
  readonly url: string | null;
  /** Why nothing was written; null where the comment was written. */
  readonly silence: string | null;
}

type Wanted = Omit<WantedComment, 'currentHead'>;

/**
 * Brings the pull request to exactly one comment of ours. A creation that failed without an answer is looked for
 * before it is repeated, so that retries never double it.
 * @throws GitHubApiError where GitHub refuses.
 */
export async function syncComment(api: CommentApi, wanted: Wanted): Promise<StickyResult> {
  if (wanted.mode === 'never') return { url: null, silence: 'comments are turned off' };
  const author = (await orNull(api.viewer())) ?? WORKFLOW_AUTHOR;
  for (let round = 1; ; round++) {
    const currentHead = await orNull(api.currentHead());
    const plan = planComment(await api.list(), author, { ...wanted, currentHead });
    try {
      return await carryOut(api, plan, { ...wanted, currentHead });
    } catch (thrown) {
      if (round >= ROUNDS || !mayHaveChanged(thrown)) throw thrown;
      await api.wait(backoffMs(round));
    }
  }
}

async function carryOut(api: CommentApi, plan: CommentPlan, wanted: WantedComment): Promise<StickyResult> {
  switch (plan.write.kind) {
    case 'none':
      await removeAll(api, plan.remove);
      return { url: plan.write.url, silence: plan.write.reason };
    case 'update': {
      const { url } = await api.update(plan.write.id, plan.write.body);
      await removeAll(api, plan.remove);
      return { url, silence: null };
    }
    case 'create': {
      const created = await api.create(plan.write.body);
      const { url } = await carryOut(api, await planAgain(api, created, wanted), wanted);
      return { url: url ?? created.url, silence: null };
    }
  }
}

/** Another run may have created its own comment at the same time; both runs then choose the same survivor. */
async function planAgain(api: CommentApi, created: Comment, wanted: WantedComment): Promise<CommentPlan> {
  const listed = await api.list();
  // The list may lag behind the creation.
  const all = listed.some(({ id }) => id === created.id) ? listed : [...listed, created];
  return planComment(all, created.author ?? WORKFLOW_AUTHOR, wanted);
}

/** A double that can't be removed now is removed by the next run. */
async function removeAll(api: CommentApi, ids: readonly number[]): Promise<void> {
  for (const id of ids) await orNull(api.remove(id));
}

function mayHaveChanged(thrown: unknown): boolean {
  return thrown instanceof GitHubApiError && (isUnsettled(thrown.failure) || isGone(thrown));
}

function isGone(thrown: unknown): boolean {
  return (
    thrown instanceof GitHubApiError &&
    /\/comments\/\d+$/.test(thrown.failure.path) &&
    [404, 410].includes(thrown.failure.status ?? 0)
  );
}

/** Questions whose answer only sharpens the plan may stay open. */
async function orNull<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question;
  } catch (thrown) {
    if (thrown instanceof GitHubApiError) return null;
    throw thrown;
  }
}
