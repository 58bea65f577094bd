import { type ChildProcess, spawn } from 'node:child_process';
import type { ArmName } from '../plan/plan.ts';
import { oneLine, TAIL_BYTES, tailOf } from './stderr-tail.ts';
import { describeDeath, describePhase, WorkerFailure } from './worker-failure.ts';
import {
  answerSchema,
  type Command,
  type CommandName,
  type CommandOf,
  type ReplyOf,
  replySchemas,
} from './worker-protocol.ts';

/** How a worker is started; equal for both arms, so that neither environment nor arguments differ in length. */
export interface WorkerLaunch {
  readonly workerFile: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly directory: string;
  /** A command that runs the worker, as `taskset -c 0,1`. */
  readonly launcher: readonly string[];
  /** Whose model it runs, for messages; a command for a model of its own says so itself. */
  readonly arm: ArmName;
  readonly signal: AbortSignal | undefined;
}

/** A live worker process. Every request ends: in a reply, or in a WorkerFailure after at most `timeoutMs`. */
export interface Worker {
  readonly pid: number;
  request<Name extends CommandName>(command: CommandOf<Name>, timeoutMs: number): Promise<ReplyOf<Name>>;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

const CLOSE_MS = 3000;
/** A process that the worker left behind may hold its pipes open. */
const DRAIN_MS = 500;

/** Starts a worker. Nothing it prints reaches our own output: the last 64 KiB are kept for the tail. */
export function startWorker(launch: WorkerLaunch): Worker {
  launch.signal?.throwIfAborted();
  const [program = process.execPath, ...args] = [...launch.launcher, process.execPath, launch.workerFile];
  const child = spawn(program, args, {
    cwd: launch.directory,
    env: launch.environment,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const printed = collectOutput(child);
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('error', (error) => {
      printed.add(Buffer.from(error.message));
      resolve({ code: null, signal: null });
    });
    // Not 'close': it never comes where we end the channel ourselves.
    child.once('exit', (code, signal) => void printed.drained().then(() => resolve({ code, signal })));
  });
  const kill = (): void => void child.kill('SIGKILL');
  launch.signal?.addEventListener('abort', kill, { once: true });
  void ended.then(() => launch.signal?.removeEventListener('abort', kill));
  const answers = answerReader(child);
  let lastId = 0;

  async function request<Name extends CommandName>(
    command: CommandOf<Name>,
    timeoutMs: number,
  ): Promise<ReplyOf<Name>> {
    const phase = command.do;
    const fail = (kind: WorkerFailure['kind'], message: string): WorkerFailure =>
      new WorkerFailure(kind, armOf(command, launch.arm), phase, message, tailOf(printed.text()));
    const id = ++lastId;
    const answer = answers.expect(id);
    child.send({ id, command }, () => undefined);
    const timeout = timer(timeoutMs);
    const first = await Promise.race([
      answer.then((raw) => ({ raw })),
      ended.then((death) => ({ death })),
      timeout.elapsed.then(() => ({ elapsed: true })),
    ]);
    timeout.cancel();
    launch.signal?.throwIfAborted();
    if ('elapsed' in first) {
      kill();
      await ended;
      throw fail(
        'hung',
        `no answer for ${Math.round(timeoutMs / 100) / 10} s during ${describePhase(phase)}: the worker was killed`,
      );
    }
    if ('death' in first)
      throw fail(first.death.signal ? 'killed' : 'crashed', describeDeath(first.death.code, first.death.signal, phase));
    const { error, result } = answerSchema.parse(first.raw);
    if (error !== undefined) throw fail('refused', oneLine(error));
    const reply = replySchemas[phase].safeParse(result);
    if (!reply.success) throw fail('crashed', `the worker gave no usable answer to ${describePhase(phase)}`);
    return reply.data as ReplyOf<Name>;
  }

  async function close(): Promise<void> {
    if (child.connected) child.disconnect();
    const timeout = timer(CLOSE_MS);
    await Promise.race([ended, timeout.elapsed]);
    timeout.cancel();
    kill();
    await ended;
  }

  return { pid: child.pid ?? -1, request, close };
}

function armOf(command: Command, arm: ArmName): ArmName {
  return 'slot' in command && (command.slot === 'base' || command.slot === 'head') ? command.slot : arm;
}

/** The end of what the worker printed; `drained` waits for what is still in its pipes. */
function collectOutput(child: ChildProcess): { text(): string; add(chunk: Buffer): void; drained(): Promise<void> } {
  let kept = Buffer.alloc(0);
  const add = (chunk: Buffer): void => {
    kept = Buffer.concat([kept, chunk]).subarray(-TAIL_BYTES);
  };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const ends = streams.map((stream) => new Promise<void>((resolve) => stream.on('data', add).once('end', resolve)));
  const drained = async (): Promise<void> => {
    const timeout = timer(DRAIN_MS);
    await Promise.race([Promise.all(ends), timeout.elapsed]);
    timeout.cancel();
  };
  return { text: () => kept.toString('utf8'), add, drained };
}

function answerReader(child: ChildProcess): { expect(id: number): Promise<unknown> } {
  const waiting = new Map<number, (raw: unknown) => void>();
  child.on('message', (message) => {
    const id = answerSchema.safeParse(message).data?.id;
    const resolve = id === undefined ? undefined : waiting.get(id);
    if (id === undefined || !resolve) return;
    waiting.delete(id);
    resolve(message);
  });
  return { expect: (id) => new Promise((resolve) => waiting.set(id, resolve)) };
}

function timer(ms: number): { elapsed: Promise<void>; cancel(): void } {
  let cancel = (): void => undefined;
  const elapsed = new Promise<void>((resolve) => {
    const handle = setTimeout(resolve, ms);
    cancel = () => clearTimeout(handle);
  });
  return { elapsed, cancel };
}
