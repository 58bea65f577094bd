import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { run } from './runtime-npm-edge.ts';

export interface ClockRequest {
  readonly uuid: string;
  readonly mhz: number;
  readonly env: NodeJS.ProcessEnv;
}

export interface ClockLock {
  /** Why clocks float, in one line; null where the driver took the request. */
  readonly refused: string | null;
  /** Gives the clocks free again; resolves when the driver has done it. */
  release(): Promise<void>;
}

const LIMIT_MS = 20_000;
/** Ends with its input, which the kernel closes however we end; then it undoes the lock, which would outlive the job. */
const GUARD = 'trap "" INT TERM HUP; cat >/dev/null; exec nvidia-smi -rgc -i "$1" >/dev/null 2>&1';

/** Asks the driver to hold the graphics clock; needs root, so a refusal is a result and not an error. */
export async function lockClocks({ uuid, mhz, env }: ClockRequest): Promise<ClockLock> {
  // The runner ends processes that bear its tracking number when a job is cancelled; this one must outlive that.
  const guardEnv = { ...env, RUNNER_TRACKING_ID: '' };
  const guard = spawn('sh', ['-c', GUARD, 'sh', uuid], {
    env: guardEnv,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  const ended = once(guard, 'close');
  const release = async (): Promise<void> => {
    guard.stdin.end();
    await ended;
  };
  const { code, printed } = await run(['nvidia-smi', '-lgc', `${mhz},${mhz}`, '-i', uuid], '/', env, LIMIT_MS);
  if (code === 0) return { refused: null, release };
  await release();
  const reason =
    printed
      .split(/\r?\n/)
      .find((line) => line.trim() !== '')
      ?.trim()
      .slice(0, 200) ?? 'no message';
  return { refused: `clocks float: they could not be locked at ${mhz} MHz (${reason})`, release: async () => {} };
}
