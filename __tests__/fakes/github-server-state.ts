/** What the fake knows; tests read and write it directly. */
export interface GitHubState {
  readonly owner: string;
  readonly repo: string;
  readonly repositoryId: number;
  /** Token → who it writes as and what it may do, as `pull-requests: write`. */
  readonly tokens: Map<string, { readonly login: string; readonly permissions: ReadonlySet<string> }>;
  readonly commits: Set<string>;
  readonly pulls: Map<number, PullState>;
  readonly comments: CommentState[];
  readonly statuses: StatusState[];
  readonly checkRuns: Array<Record<string, unknown> & { id: number }>;
  readonly runs: Map<number, RunState>;
  readonly artifacts: ArtifactState[];
  /** Order of listed comments: GitHub's own is ascending, callers must not rely on it. */
  commentOrder: 'ascending' | 'reversed';
  nextId: number;
}

export interface PullState {
  readonly number: number;
  headSha: string;
  readonly baseSha: string;
  readonly headRef: string;
  readonly headOwner: string;
  readonly headRepositoryId: number;
  state: 'open' | 'closed';
  readonly files: readonly FileState[];
  /** `changed_files` where it differs from the listed files: GitHub lists 3,000 at most. */
  readonly changedFiles: number;
}

export interface FileState {
  readonly filename: string;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed';
  readonly previous_filename?: string;
}

export interface CommentState {
  readonly id: number;
  readonly issue: number;
  readonly login: string;
  body: string;
  readonly createdAt: string;
  edits: number;
}

export interface StatusState {
  readonly id: number;
  readonly sha: string;
  readonly state: string;
  readonly context: string;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly login: string;
}

export interface RunState {
  readonly id: number;
  readonly attempt: number;
  readonly headSha: string;
  readonly headBranch: string;
  readonly headOwner: string;
  readonly headRepositoryId: number;
  readonly event: string;
  readonly path: string;
  readonly conclusion: string;
}

export interface ArtifactState {
  readonly id: number;
  readonly runId: number;
  readonly name: string;
  readonly content: Uint8Array;
  /** `size_in_bytes` where it lies about the content. */
  readonly claimedBytes: number;
  readonly expired: boolean;
}

export const ALL_PERMISSIONS: ReadonlySet<string> = new Set([
  'contents: read',
  'pull-requests: write',
  'pull-requests: read',
  'statuses: write',
  'checks: write',
  'actions: read',
]);

export const TOKEN = 'ghs_test-token';
export const BOT = 'github-actions[bot]';

/** A repository `acme/ranking` with one token that may do everything. */
export function createState(): GitHubState {
  return {
    owner: 'acme',
    repo: 'ranking',
    repositoryId: 1001,
    tokens: new Map([[TOKEN, { login: BOT, permissions: ALL_PERMISSIONS }]]),
    commits: new Set(),
    pulls: new Map(),
    comments: [],
    statuses: [],
    checkRuns: [],
    runs: new Map(),
    artifacts: [],
    commentOrder: 'ascending',
    nextId: 1,
  };
}

/** Adds an open pull request; from the repository's own branch `change` unless said otherwise. */
export function addPull(
  state: GitHubState,
  pull: Partial<PullState> & { readonly number: number; readonly headSha: string },
): PullState {
  const files = pull.files ?? [];
  const added: PullState = {
    baseSha: 'b'.repeat(40),
    headRef: 'change',
    headOwner: state.owner,
    headRepositoryId: state.repositoryId,
    state: 'open',
    changedFiles: files.length,
    ...pull,
    files,
  };
  state.pulls.set(added.number, added);
  state.commits.add(added.headSha).add(added.baseSha);
  return added;
}

/** Adds a comment as `login` wrote it. */
export function addComment(state: GitHubState, issue: number, login: string, body: string): CommentState {
  const id = state.nextId++;
  const comment = { id, issue, login, body, createdAt: new Date(1.75e12 + id * 1000).toISOString(), edits: 0 };
  state.comments.push(comment);
  return comment;
}
