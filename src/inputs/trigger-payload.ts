import { z } from 'zod';
import { RefusedError } from '../errors.ts';

/** A commit id; everything else in its place is refused before it reaches git or a URL. */
export const commitSchema = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'is not a commit id');

const repository = z.object({ full_name: z.string() });

/** What the gate needs of a pull request, in events and from the API alike. */
export const pullRequestSchema = z.object({
  number: z.int().positive(),
  head: z.object({ sha: commitSchema, repo: repository.nullable() }),
  base: z.object({ sha: commitSchema, repo: repository }),
});

export const pullRequestPayload = z.object({ action: z.string(), pull_request: pullRequestSchema });

export const mergeGroupPayload = z.object({
  action: z.string(),
  merge_group: z.object({ head_sha: commitSchema, base_sha: commitSchema }),
});

export const repositoryPayload = z.object({ repository: z.object({ default_branch: z.string() }) });

export const pushPayload = repositoryPayload.extend({
  ref: z.string(),
  before: commitSchema,
  after: commitSchema,
  deleted: z.boolean().optional(),
});

export const dispatchPayload = repositoryPayload.extend({ ref: z.string() });

export const releasePayload = z.object({ action: z.string() });

export const deploymentPayload = z.object({ deployment: z.object({ sha: commitSchema }) });

export const workflowRunPayload = z.object({
  action: z.string(),
  workflow_run: z.object({
    id: z.int().positive(),
    event: z.string(),
    head_sha: commitSchema,
    head_branch: z.string().nullable(),
    head_repository: repository.nullable(),
  }),
});

/** What the gate reads of the runner's environment about the event. */
export interface EventEnvironment {
  readonly GITHUB_EVENT_NAME?: string | undefined;
  readonly GITHUB_SHA?: string | undefined;
  readonly GITHUB_ACTOR?: string | undefined;
}

export type PullRequest = Readonly<z.infer<typeof pullRequestSchema>>;

/** @throws RefusedError naming the event and the first place of its payload that is not as GitHub sends it. */
export function readPayload<T>(event: string, schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new RefusedError(
    `the payload of ${event} is not as GitHub sends it: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
