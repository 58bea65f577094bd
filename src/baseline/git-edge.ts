import { spawn } from 'node:child_process';
import type { GitResult } from './git-fault.ts';

export interface GitCall {
  readonly input?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

/** Runs git in one repository; a failing command is a result, only a missing git is thrown. */
export type Git = (args: readonly string[], call?: GitCall) => Promise<GitResult>;

/** Like `Git`, with standard output as bytes. */
export type GitBytes = (args: readonly string[], call?: GitCall) => Promise<GitResult & { readonly bytes: Buffer }>;

/** Set by hooks and wrappers; they would aim git at another repository or index. */
const FOREIGN_VARIABLES = /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|PREFIX|NAMESPACE|COMMON_DIR|ALTERNATE_.*)$/;

/** Settings of the user's that would write more than asked for, or wait for a person. */
const QUIET = [
  'gc.auto=0',
  'maintenance.auto=false',
  'core.fsmonitor=false',
  'core.splitIndex=false',
  'index.sparse=false',
  'push.followTags=false',
  'fetch.prune=false',
  'fetch.writeCommitGraph=false',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

const NETWORK_TIMEOUT_MS = 180_000;

/** Git in `repository`, in English, never asking for a password. */
export function gitIn(repository: string, environment: Readonly<Record<string, string | undefined>>): GitBytes {
  const inherited = Object.entries(environment).filter(([name]) => !FOREIGN_VARIABLES.test(name));
  const base = { ...Object.fromEntries(inherited), LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0' };
  return (args, call = {}) =>
    new Promise((resolve, reject) => {
      const child = spawn('git', ['-C', repository, ...QUIET, ...args], {
        env: { ...base, ...call.environment },
        stdio: ['pipe', 'pipe', 'pipe'],
        timeout: call.timeoutMs ?? NETWORK_TIMEOUT_MS,
      });
      const out: Buffer[] = [];
      const err: Buffer[] = [];
      child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
      child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
      child.stdin.on('error', () => {});
      child.on('error', reject);
      child.on('close', (code, signal) => {
        const bytes = Buffer.concat(out);
        const stderr = Buffer.concat(err).toString('utf8') + (signal === null ? '' : `\nfatal: git ended by ${signal}`);
        resolve({ code: code ?? 128, bytes, stdout: bytes.toString('utf8'), stderr });
      });
      child.stdin.end(call.input ?? '');
    });
}
