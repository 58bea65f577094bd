import type { Comment } from './plan-comment.ts';
import type { ApiFailure } from './retry-policy.ts';

/** A call of the GitHub API that failed for good. */
export class GitHubApiError extends Error {
  override readonly name = 'GitHubApiError';
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** The comments of one pull request, as the gate needs them. Every method may throw GitHubApiError. */
export interface CommentApi {
  /** Login that the token writes as; null where GitHub won't say. */
  viewer(): Promise<string | null>;
  /** Head commit of the pull request now. */
  currentHead(): Promise<string>;
  /** All comments, over all pages. */
  list(): Promise<readonly Comment[]>;
  create(body: string): Promise<Comment>;
  update(id: number, body: string): Promise<Comment>;
  remove(id: number): Promise<void>;
  wait(durationMs: number): Promise<void>;
}

export interface CommitStatus {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly description: string;
}
