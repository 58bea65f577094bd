import { setTimeout as sleep } from 'node:timers/promises';
import type { CommentApi, CommitStatus } from './github-api.ts';
import type { GitHubClient } from './github-client-edge.ts';
import type { Comment } from './plan-comment.ts';
import type { PublishTarget } from './publisher.ts';

/** The comments of `target`'s pull request over the real API; null where there is no pull request. */
export function createCommentApi(
  client: GitHubClient,
  { owner, repo, pullNumber }: PublishTarget,
  wait: (durationMs: number) => Promise<unknown> = sleep,
): CommentApi | null {
  if (pullNumber === null) return null;
  const { issues, pulls } = client.rest;
  const issue = { owner, repo, issue_number: pullNumber };
  return {
    async viewer() {
      const { viewer } = await client.graphql<{ viewer?: { login?: string } }>('query { viewer { login } }');
      return viewer?.login ?? null;
    },
    async currentHead() {
      return (await pulls.get({ owner, repo, pull_number: pullNumber })).data.head.sha;
    },
    async list() {
      return (await client.paginate(issues.listComments, { ...issue, per_page: 100 })).map(readComment);
    },
    async create(body) {
      return readComment((await issues.createComment({ ...issue, body })).data);
    },
    async update(id, body) {
      return readComment((await issues.updateComment({ owner, repo, comment_id: id, body })).data);
    },
    async remove(id) {
      await issues.deleteComment({ owner, repo, comment_id: id });
    },
    async wait(durationMs) {
      await wait(durationMs);
    },
  };
}

/** Sets the commit status `context` on `target`'s head commit, linked to the run's page. */
export async function setCommitStatus(
  client: GitHubClient,
  { owner, repo, headSha }: PublishTarget,
  { context, url, status }: { readonly context: string; readonly url: string; readonly status: CommitStatus },
): Promise<void> {
  await client.rest.repos.createCommitStatus({ owner, repo, sha: headSha, context, target_url: url, ...status });
}

function readComment(data: {
  readonly id: number;
  readonly body?: string;
  readonly html_url: string;
  readonly user: { readonly login: string } | null;
}): Comment {
  return { id: data.id, author: data.user?.login ?? null, body: data.body ?? '', url: data.html_url };
}
