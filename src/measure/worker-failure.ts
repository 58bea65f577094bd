import type { ArmName } from '../plan/plan.ts';
import type { CommandName } from './worker-protocol.ts';

/**
 * How a worker failed: `refused` answered with the engine's error, `hung` gave no answer in time and was killed,
 * `killed` died of a signal, `crashed` ended by itself.
 */
export type FailureKind = 'refused' | 'hung' | 'killed' | 'crashed';

/** A worker that could not do what it was asked. The message is one line. */
export class WorkerFailure extends Error {
  override readonly name = 'WorkerFailure';
  readonly kind: FailureKind;
  readonly arm: ArmName;
  readonly phase: CommandName;
  readonly stderrTail: string | undefined;

  constructor(kind: FailureKind, arm: ArmName, phase: CommandName, message: string, stderrTail: string | undefined) {
    super(message);
    this.kind = kind;
    this.arm = arm;
    this.phase = phase;
    this.stderrTail = stderrTail;
  }
}

const DOING: Readonly<Record<CommandName, string>> = {
  open: 'starting the engine',
  load: 'loading the model',
  unload: 'unloading the model',
  feed: 'reading its inputs',
  run: 'the first inference',
  settle: 'the first inferences',
  warmUp: 'warming up',
  memory: 'reading memory',
  rewind: 'rewinding its inputs',
  chunk: 'the timed inferences',
  outputs: 'computing outputs',
};

/** What a worker was doing, for people. */
export function describePhase(phase: CommandName): string {
  return DOING[phase];
}

/** Sentence on a worker that ended without being asked to. SIGKILL that was not ours is most often lack of memory. */
export function describeDeath(code: number | null, signal: string | null, phase: CommandName): string {
  const during = `during ${describePhase(phase)}`;
  if (signal === 'SIGKILL') return `the worker was killed (SIGKILL) ${during}, most likely for want of memory`;
  if (signal !== null) return `the worker crashed (${signal}) ${during}`;
  return `the worker ended (exit code ${code ?? 'unknown'}) ${during}`;
}
