import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describeThrown, NoVerdictError } from '../errors.ts';
import { quoteName } from '../inputs/suggestion.ts';

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** The last lines, for messages. */
  readonly stderr: string;
}

/** A caller's own repository, index or object folder would be taken for ours; hooks of git set these. */
const FOREIGN = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
  'GIT_LFS_SKIP_SMUDGE',
];
/** No hook of the repository runs, nothing is cleaned up while models are measured, pathspecs hold no wildcards. */
const ALWAYS = [
  '--literal-pathspecs',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'gc.auto=0',
  '-c',
  'maintenance.auto=false',
];
/** A remote that no longer answers must not hold a GPU. */
const TIMEOUT_MS = 600_000;
const STDERR_CHARACTERS = 2000;

function start(repository: string, args: readonly string[]) {
  const env: NodeJS.ProcessEnv = { ...process.env, LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' };
  for (const name of FOREIGN) delete env[name];
  return spawn('git', [...ALWAYS, ...args], {
    cwd: repository,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
  });
}

/**
 * Runs git without a shell, in English, never asking for a password.
 * @throws NoVerdictError only where git can't be started; a failure is in `exitCode`.
 */
export async function tryGit(repository: string, args: readonly string[]): Promise<GitResult> {
  const chunks: Buffer[] = [];
  const { exitCode, stderr } = await collect(start(repository, args), async (stdout) => {
    for await (const chunk of stdout) chunks.push(chunk as Buffer);
  });
  return { exitCode, stdout: Buffer.concat(chunks).toString('utf8'), stderr };
}

/**
 * Standard output of a git command that must work.
 * @throws NoVerdictError with git's own last line.
 */
export async function git(repository: string, args: readonly string[]): Promise<string> {
  const result = await tryGit(repository, args);
  if (result.exitCode !== 0) throw failed(args, result);
  return result.stdout;
}

/**
 * Streams what a git command prints into a new file.
 * @throws NoVerdictError with git's own last line.
 */
export async function gitToFile(repository: string, args: readonly string[], file: string): Promise<void> {
  const result = await collect(start(repository, args), (stdout) => pipeline(stdout, createWriteStream(file)));
  if (result.exitCode !== 0) throw failed(args, result);
}

async function collect(child: ReturnType<typeof start>, read: (stdout: Readable) => Promise<void>) {
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-STDERR_CHARACTERS);
  });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (thrown) =>
      reject(new NoVerdictError(`git can't be started (${describeThrown(thrown)}): install git on this machine`)),
    );
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [exitCode] = await Promise.all([ended, read(child.stdout)]);
  return { exitCode, stderr: stderr.trim() };
}

function failed(args: readonly string[], { stderr, exitCode }: Pick<GitResult, 'stderr' | 'exitCode'>): NoVerdictError {
  const command = args.find((arg) => /^[a-z]/.test(arg)) ?? '';
  return new NoVerdictError(`git ${command} failed: ${lastLine(stderr) || `exit code ${exitCode}`}`);
}

/** The line of git's that says most, quoted. */
export function lastLine(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const best = lines.find((line) => line.startsWith('fatal:') || line.startsWith('error:')) ?? lines.at(-1);
  return best === undefined ? '' : quoteName(best.replace(/^(fatal|error): /, ''));
}
