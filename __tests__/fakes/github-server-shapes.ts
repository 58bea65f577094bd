import type {
  ArtifactState,
  CommentState,
  FileState,
  GitHubState,
  PullState,
  RunState,
  StatusState,
} from './github-server-state.ts';

/** The state as GitHub's JSON; `origin` is the server's own address. */
export function createShapes(state: GitHubState, origin: string, apiUrl: string) {
  const slug = `${state.owner}/${state.repo}`;
  const repoUrl = `${apiUrl}/repos/${slug}`;
  const user = (login: string) => {
    const url = `${apiUrl}/users/${encodeURIComponent(login)}`;
    const links = [
      'followers',
      'following',
      'gists',
      'starred',
      'subscriptions',
      'organizations',
      'repos',
      'events',
      'received_events',
    ];
    return {
      login,
      id: 41,
      node_id: 'U_1',
      avatar_url: `${origin}/a.png`,
      gravatar_id: '',
      url,
      html_url: `${origin}/${encodeURIComponent(login)}`,
      ...Object.fromEntries(links.map((name) => [`${name}_url`, `${url}/${name}`])),
      type: login.endsWith('[bot]') ? 'Bot' : 'User',
      site_admin: false,
    };
  };
  const repository = (owner: string, id: number) => ({
    id,
    name: state.repo,
    full_name: `${owner}/${state.repo}`,
    fork: id !== state.repositoryId,
    owner: user(owner),
    default_branch: 'main',
  });
  const own = () => repository(state.owner, state.repositoryId);
  return {
    repository: own,
    comment: ({ id, issue, login, body, createdAt }: CommentState) => ({
      id,
      node_id: `IC_${id}`,
      url: `${repoUrl}/issues/comments/${id}`,
      html_url: `${origin}/${slug}/pull/${issue}#issuecomment-${id}`,
      issue_url: `${repoUrl}/issues/${issue}`,
      body,
      user: user(login),
      created_at: createdAt,
      updated_at: createdAt,
      author_association: 'NONE',
    }),
    status: ({ id, sha, state: name, context, description, targetUrl, login }: StatusState) => ({
      id,
      node_id: `SC_${id}`,
      url: `${repoUrl}/statuses/${sha}`,
      avatar_url: null,
      state: name,
      context,
      description,
      target_url: targetUrl,
      created_at: '2026-12-01T10:00:00Z',
      updated_at: '2026-12-01T10:00:00Z',
      creator: user(login),
    }),
    file: ({ filename, status, previous_filename }: FileState) => ({
      filename,
      status,
      ...(previous_filename === undefined ? {} : { previous_filename }),
      sha: 'f'.repeat(40),
      additions: 1,
      deletions: 0,
      changes: 1,
      blob_url: `${origin}/${slug}/blob/x/f`,
      raw_url: `${origin}/${slug}/raw/x/f`,
      contents_url: `${repoUrl}/contents/f`,
    }),
    pull: (pull: PullState) => ({
      number: pull.number,
      state: pull.state,
      draft: false,
      html_url: `${origin}/${slug}/pull/${pull.number}`,
      user: user(pull.headOwner),
      labels: [],
      changed_files: pull.changedFiles,
      merge_commit_sha: null,
      head: {
        sha: pull.headSha,
        ref: pull.headRef,
        label: `${pull.headOwner}:${pull.headRef}`,
        user: user(pull.headOwner),
        repo: repository(pull.headOwner, pull.headRepositoryId),
      },
      base: { sha: pull.baseSha, ref: 'main', label: `${state.owner}:main`, user: user(state.owner), repo: own() },
    }),
    run: (run: RunState) => ({
      id: run.id,
      name: 'gate',
      run_attempt: run.attempt,
      head_sha: run.headSha,
      head_branch: run.headBranch,
      event: run.event,
      path: run.path,
      status: 'completed',
      conclusion: run.conclusion,
      html_url: `${origin}/${slug}/actions/runs/${run.id}`,
      repository: own(),
      head_repository: repository(run.headOwner, run.headRepositoryId),
      // GitHub leaves it empty for forks.
      pull_requests: [],
    }),
    artifact: ({ id, runId, name, claimedBytes, expired }: ArtifactState) => ({
      id,
      node_id: `A_${id}`,
      name,
      size_in_bytes: claimedBytes,
      url: `${repoUrl}/actions/artifacts/${id}`,
      archive_download_url: `${repoUrl}/actions/artifacts/${id}/zip`,
      expired,
      created_at: '2026-12-01T10:00:00Z',
      updated_at: '2026-12-01T10:00:00Z',
      expires_at: '2027-03-01T10:00:00Z',
      workflow_run: { id: runId, repository_id: state.repositoryId },
    }),
  };
}
