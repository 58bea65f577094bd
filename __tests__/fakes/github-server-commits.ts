import {
  type Answer,
  type Call,
  type Handler,
  invalid,
  listOf,
  NOT_FOUND,
  ok,
  okOr404,
} from './github-server-answers.ts';
import type { createShapes } from './github-server-shapes.ts';
import type { GitHubState } from './github-server-state.ts';

/** What the endpoints about commits do to the state: comparisons, statuses, check runs. */
export function createCommitHandlers(
  state: GitHubState,
  shapes: ReturnType<typeof createShapes>,
): Record<string, Handler> {
  const repo = '/repos/{owner}/{repo}';
  const read = (handle: Handler['handle']): Handler => ({ permission: 'contents: read', handle });
  const write = (permission: string, handle: Handler['handle']): Handler => ({ permission, handle });
  return {
    [`GET ${repo}/compare/{basehead}`]: read(({ params }) => compare(state, shapes, params['basehead'] ?? '')),
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
  };
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
