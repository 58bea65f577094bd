import type { createShapes } from './github-server-shapes.ts';
import { addComment, type GitHubState, type PullState } from './github-server-state.ts';

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
  readonly login: string;
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A whole list: the server cuts it into pages. `under` is the key of enveloped lists. */
  readonly list?: { readonly items: readonly unknown[]; readonly under?: string };
}

export interface Handler {
  /** Permission without which GitHub answers 403. */
  readonly permission: string;
  handle(call: Call): Answer;
}

const COMMENT_LIMIT = 65_536;

/** What each endpoint does to the state. */
export function createHandlers(state: GitHubState, shapes: ReturnType<typeof createShapes>): Record<string, Handler> {
  const repo = '/repos/{owner}/{repo}';
  const comments = `${repo}/issues/comments/{comment_id}`;
  const read = (handle: Handler['handle'], permission = 'contents: read'): Handler => ({ permission, handle });
  const write = (permission: string, handle: Handler['handle']): Handler => ({ permission, handle });
  const pullOf = (number: string | undefined) => state.pulls.get(Number(number));
  const commentOf = (id: string | undefined) => state.comments.find((comment) => comment.id === Number(id));
  return {
    [`GET ${repo}`]: read(() => ok(shapes.repository())),
    [`GET ${repo}/compare/{basehead}`]: read(({ params }) => compare(state, shapes, params['basehead'] ?? '')),
    [`GET ${repo}/pulls`]: read(
      ({ query }) => listOf([...state.pulls.values()].filter(fits(query)).map(shapes.pull)),
      'pull-requests: read',
    ),
    [`GET ${repo}/pulls/{pull_number}`]: read(
      ({ params }) => okOr404(pullOf(params['pull_number']), shapes.pull),
      'pull-requests: read',
    ),
    [`GET ${repo}/pulls/{pull_number}/files`]: read(({ params }) => {
      const pull = pullOf(params['pull_number']);
      return pull ? listOf(pull.files.slice(0, 3000).map(shapes.file)) : NOT_FOUND;
    }, 'pull-requests: read'),
    [`GET ${repo}/commits/{commit_sha}/pulls`]: read(({ params }) => {
      const own = [...state.pulls.values()].filter(
        (pull) => pull.headSha === params['commit_sha'] && pull.headOwner === state.owner,
      );
      return listOf(own.map(shapes.pull));
    }, 'pull-requests: read'),
    [`GET ${repo}/commits/{ref}/status`]: read(({ params }) => combined(state, shapes, params['ref'] ?? '')),
    [`GET ${repo}/commits/{ref}/statuses`]: read(({ params }) =>
      listOf(statusesOf(state, params['ref'] ?? '').map(shapes.status)),
    ),
    [`POST ${repo}/statuses/{sha}`]: write('statuses: write', (call) => createStatus(state, shapes, call)),
    [`POST ${repo}/check-runs`]: write('checks: write', ({ body }) => {
      const run = { ...body, id: state.nextId++ };
      state.checkRuns.push(run);
      return { status: 201, body: run };
    }),
    [`PATCH ${repo}/check-runs/{check_run_id}`]: write('checks: write', ({ params, body }) => {
      const run = state.checkRuns.find(({ id }) => id === Number(params['check_run_id']));
      return okOr404(run && Object.assign(run, body), (found) => found);
    }),
    [`GET ${repo}/issues/{issue_number}/comments`]: read(({ params }) => {
      if (!pullOf(params['issue_number'])) return NOT_FOUND;
      const listed = state.comments.filter(({ issue }) => issue === Number(params['issue_number'])).map(shapes.comment);
      return listOf(state.commentOrder === 'reversed' ? listed.reverse() : listed);
    }, 'pull-requests: read'),
    [`POST ${repo}/issues/{issue_number}/comments`]: write('pull-requests: write', ({ params, body, login }) => {
      if (!pullOf(params['issue_number'])) return NOT_FOUND;
      return withBody(body, (text) => {
        const created = addComment(state, Number(params['issue_number']), login, text);
        return { status: 201, body: shapes.comment(created) };
      });
    }),
    [`GET ${comments}`]: read(
      ({ params }) => okOr404(commentOf(params['comment_id']), shapes.comment),
      'pull-requests: read',
    ),
    [`PATCH ${comments}`]: write('pull-requests: write', ({ params, body }) => {
      const comment = commentOf(params['comment_id']);
      if (!comment) return NOT_FOUND;
      return withBody(body, (text) => {
        comment.body = text;
        comment.edits++;
        return ok(shapes.comment(comment));
      });
    }),
    [`DELETE ${comments}`]: write('pull-requests: write', ({ params }) => {
      const comment = commentOf(params['comment_id']);
      if (!comment) return NOT_FOUND;
      state.comments.splice(state.comments.indexOf(comment), 1);
      return { status: 204 };
    }),
    [`GET ${repo}/actions/runs/{run_id}`]: read(
      ({ params }) => okOr404(state.runs.get(Number(params['run_id'])), shapes.run),
      'actions: read',
    ),
    [`GET ${repo}/actions/runs/{run_id}/artifacts`]: read(({ params, query }) => {
      if (!state.runs.has(Number(params['run_id']))) return NOT_FOUND;
      const name = query.get('name');
      const found = state.artifacts.filter(
        ({ runId, name: own }) => runId === Number(params['run_id']) && (name === null || own === name),
      );
      return { status: 200, list: { items: found.map(shapes.artifact), under: 'artifacts' } };
    }, 'actions: read'),
    [`GET ${repo}/actions/artifacts/{artifact_id}/{archive_format}`]: read(({ params, origin }) => {
      const artifact = state.artifacts.find(({ id }) => id === Number(params['artifact_id']));
      if (!artifact) return NOT_FOUND;
      if (artifact.expired) return { status: 410, body: { message: 'Artifact has expired' } };
      return {
        status: 302,
        headers: { location: `${origin.replace('127.0.0.1', 'localhost')}/_blobs/${artifact.id}` },
      };
    }, 'actions: read'),
  };
}

export const NOT_FOUND: Answer = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest' },
};

/** A refusal as GitHub words it. */
export function invalid(field: string, message: string): Answer {
  return {
    status: 422,
    body: { message: 'Validation Failed', errors: [{ resource: 'Fake', code: 'custom', field, message }] },
  };
}

function ok(body: unknown): Answer {
  return { status: 200, body };
}

function listOf(items: readonly unknown[]): Answer {
  return { status: 200, list: { items } };
}

function okOr404<T>(found: T | undefined, shape: (found: T) => unknown): Answer {
  return found === undefined ? NOT_FOUND : ok(shape(found));
}

function withBody(body: Record<string, unknown>, write: (text: string) => Answer): Answer {
  const text = String(body['body'] ?? '');
  if (text.trim() === '') return invalid('body', 'body cannot be blank');
  return text.length > COMMENT_LIMIT
    ? invalid('body', `body is too long (maximum is ${COMMENT_LIMIT} characters)`)
    : write(text);
}

function fits(query: URLSearchParams): (pull: PullState) => boolean {
  const wantedState = query.get('state') ?? 'open';
  const head = query.get('head');
  return (pull) =>
    (wantedState === 'all' || pull.state === wantedState) &&
    (head === null || head === `${pull.headOwner}:${pull.headRef}`);
}

function createStatus(
  state: GitHubState,
  shapes: ReturnType<typeof createShapes>,
  { params, body, login }: Call,
): Answer {
  const sha = params['sha'] ?? '';
  if (!state.commits.has(sha)) return invalid('sha', `No commit found for SHA: ${sha}`);
  const description = typeof body['description'] === 'string' ? body['description'] : null;
  if (description && description.length > 140)
    return invalid('description', 'description is too long (maximum is 140 characters)');
  const status = {
    id: state.nextId++,
    sha,
    state: String(body['state']),
    context: String(body['context'] ?? 'default'),
    description,
    targetUrl: typeof body['target_url'] === 'string' ? body['target_url'] : null,
    login,
  };
  state.statuses.push(status);
  return { status: 201, body: shapes.status(status) };
}

/** Statuses of a commit, newest first, as GitHub lists them. */
function statusesOf(state: GitHubState, sha: string) {
  return state.statuses.filter((status) => status.sha === sha).reverse();
}

function combined(state: GitHubState, shapes: ReturnType<typeof createShapes>, sha: string): Answer {
  const latest = [
    ...new Map(
      statusesOf(state, sha)
        .reverse()
        .map((status) => [status.context, status]),
    ).values(),
  ];
  const names = latest.map((status) => status.state);
  const bad = names.some((name) => name === 'failure' || name === 'error');
  const overall = bad
    ? 'failure'
    : names.length > 0 && names.every((name) => name === 'success')
      ? 'success'
      : 'pending';
  return ok({ sha, state: overall, total_count: latest.length, statuses: latest.map(shapes.status) });
}

function compare(state: GitHubState, shapes: ReturnType<typeof createShapes>, range: string): Answer {
  const [base = '', head = ''] = range.split('...');
  if (!state.commits.has(base) || !state.commits.has(head)) return NOT_FOUND;
  const pull = [...state.pulls.values()].find(({ baseSha, headSha }) => baseSha === base && headSha === head);
  return ok({
    status: 'ahead',
    merge_base_commit: { sha: base },
    files: (pull?.files ?? []).slice(0, 300).map(shapes.file),
  });
}
