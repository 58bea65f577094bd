import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A real repository in a temporary folder. */
export interface Repository {
  readonly root: string;
  readonly git: (...args: string[]) => string;
  /** Writes files into the work tree. */
  readonly write: (files: Readonly<Record<string, string | Uint8Array>>) => void;
  /** Writes files, adds everything and commits; the commit's id. */
  readonly commit: (files?: Readonly<Record<string, string | Uint8Array>>, message?: string) => string;
}

/** A folder that ends with the test file: call `remove` in `afterAll`. */
export function temporaryFolder(): { readonly path: string; readonly remove: () => void } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'model-gate-git-')));
  const config = join(path, 'gitconfig');
  const lines = [
    '[user]',
    'name = Mira',
    'email = mira@example.com',
    '[init]',
    'defaultBranch = main',
    '[commit]',
    'gpgsign = false',
  ];
  writeFileSync(config, lines.join('\n'));
  // The machine's own settings (signing, hooks, LFS) must not decide a test.
  Object.assign(process.env, { GIT_CONFIG_GLOBAL: config, GIT_CONFIG_NOSYSTEM: '1' });
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

function repositoryAt(root: string): Repository {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      env: process.env,
    }).trim();
  const write = (files: Readonly<Record<string, string | Uint8Array>>) => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  };
  const commit = (files: Readonly<Record<string, string | Uint8Array>> = {}, message = 'change') => {
    write(files);
    git('add', '--all');
    git('commit', '--quiet', '--allow-empty', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  return { root, git, write, commit };
}

/** A new repository `name` under `folder`. */
export function createRepository(folder: string, name: string): Repository {
  mkdirSync(join(folder, name));
  const repository = repositoryAt(join(folder, name));
  repository.git('init', '--quiet');
  return repository;
}

/** A bare copy of a repository that clones fetch from, as GitHub serves it. */
export function publish(repository: Repository): string {
  const url = `file://${repository.root}.git`;
  repository.git('clone', '--quiet', '--bare', repository.root, `${repository.root}.git`);
  repository.git('remote', 'add', 'origin', url);
  repository.git('fetch', '--quiet', 'origin');
  return url;
}

/** A clone `name` under `folder`; `args` as `--depth=1`. */
export function clone(url: string, folder: string, name: string, ...args: string[]): Repository {
  execFileSync('git', ['clone', '--quiet', ...args, url, join(folder, name)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: process.env,
  });
  return repositoryAt(join(folder, name));
}

/** What actions/checkout leaves: one commit, detached, with the remote known. */
export function checkOutAlone(url: string, folder: string, name: string, ref: string): Repository {
  const repository = createRepository(folder, name);
  repository.git('remote', 'add', 'origin', url);
  repository.git(
    'fetch',
    '--quiet',
    '--no-tags',
    '--depth=1',
    'origin',
    `+${ref}:refs/remotes/gate/${ref.replace(/^refs\//, '')}`,
  );
  repository.git('checkout', '--quiet', '--detach', 'FETCH_HEAD');
  return repository;
}
