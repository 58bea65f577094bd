import { type Answer, type Handler, invalid, listOf, NOT_FOUND, ok, okOr404 } from './github-server-answers.ts';
import { createCommitHandlers } from './github-server-commits.ts';
import type { createShapes } from './github-server-shapes.ts';
import { addComment, type GitHubState, type PullState } from './github-server-state.ts';

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
    ...createCommitHandlers(state, shapes),
    [`GET ${repo}`]: read(() => ok(shapes.repository())),
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
