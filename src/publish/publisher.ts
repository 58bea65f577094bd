import type { Note } from '../measure/measurement.ts';
import type { Outcome } from '../verdict/verdict.ts';

/** Where a verdict is published. */
export interface PublishTarget {
  readonly owner: string;
  readonly repo: string;
  /** Commit that carries the status: a pull request's head, a merge group's head, the pushed commit. */
  readonly headSha: string;
  /** Pull request that carries the comment; null where there is none. */
  readonly pullNumber: number | null;
}

/** The workflow run that publishes: `GITHUB_RUN_ID`, `GITHUB_RUN_ATTEMPT`, and its page. */
export interface RunRef {
  readonly id: string;
  readonly attempt: number;
  readonly url: string;
}

export type PublishedOutcome = Outcome | 'cancelled';
export type CommentMode = 'always' | 'on-change' | 'on-failure' | 'never';

/** Shown beside the job's log; texts may hold anything, the edge escapes and shortens them. */
export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
}

/** Everything that is said about one verdict, ready-made. */
export interface Publication {
  readonly outcome: PublishedOutcome;
  /** State of the commit status; `success` although the outcome is not `pass` where the gate is not enforced. */
  readonly state: 'success' | 'failure' | 'error';
  /** One plain line for the commit status, shortened to 140 characters. */
  readonly headline: string;
  /** Whether the verdict says anything about a model: `on-change` comments only then. */
  readonly models: 'changed' | 'none';
  /** Markdown without a marker, best under `COMMENT_BUDGET` characters. */
  readonly commentBody: string;
  /** Markdown, best under `SUMMARY_BUDGET` bytes. */
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

export interface Published {
  readonly commentUrl: string | null;
  /** What could not be published and what to do about it; already in the summary and the log. */
  readonly notes: readonly Note[];
}

/** Publishing never throws: a verdict that can't be shown stays a verdict. */
export interface Publisher {
  /** Sets the commit status to `pending`. */
  announce(): Promise<readonly Note[]>;
  /** Writes status, comment, job summary and annotations. */
  publish(publication: Publication): Promise<Published>;
}
