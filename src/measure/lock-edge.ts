import { spawn } from 'node:child_process';
import { chmod, constants, type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { NoVerdictError } from '../errors.ts';
import { describeOwner, lockFile, readOwner } from './lock.ts';

export interface LockRequest {
  /** The folder all runners of the host share. */
  readonly dir: string;
  /** What is locked: a card's UUID. */
  readonly key: string;
  readonly limitMs: number;
  /** Called once, when the lock is not free at once. */
  readonly onWait: (message: string) => void;
  readonly signal?: AbortSignal;
}

export interface HostLock {
  /** Why the card is not locked, for the report; null where it is. */
  readonly caveat: string | null;
  release(): Promise<void>;
}

/** Anybody may write into the folder: a link there must not make us empty another file. */
const NO_LINK = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;

type Attempt = 'locked' | 'busy' | 'unavailable';

/**
 * Waits for the host-wide lock of one card. The kernel keeps it with our open file and drops it when this process
 * ends, however it ends: no heartbeat ticks while we measure, and no stale lock is ever guessed at.
 * Throws NoVerdictError when the limit passes or the folder cannot be used.
 */
export async function acquireLock(request: LockRequest): Promise<HostLock> {
  const file = lockFile(request.dir, request.key);
  const handle = await openShared(request.dir, file);
  try {
    let attempt = await flock(handle, ['--nonblock'], undefined);
    if (attempt === 'busy') {
      request.onWait(
        `waiting for ${request.key}, used by ${await ownerOf(file)} (${minutes(request.limitMs)} at most)`,
      );
      const limit = AbortSignal.timeout(request.limitMs);
      attempt = await flock(handle, [], request.signal ? AbortSignal.any([limit, request.signal]) : limit);
      request.signal?.throwIfAborted();
    }
    if (attempt === 'busy') {
      throw new NoVerdictError(
        `${request.key} was not free within ${minutes(request.limitMs)} (used by ${await ownerOf(file)}): run again later or raise the time budget`,
      );
    }
    if (attempt === 'unavailable') {
      await handle.close();
      return {
        caveat: 'the GPU is not locked against other jobs: flock (util-linux) is missing or does not work there',
        release: async () => {},
      };
    }
    await handle.truncate(0);
    await handle.write(describeOwner(process.pid, new Date().toISOString()), 0);
    return { caveat: null, release: () => handle.close() };
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}

/** Runners of different users share the folder; without the sticky bit one may open what another has made. */
async function openShared(dir: string, file: string): Promise<FileHandle> {
  try {
    const made = await mkdir(dir, { recursive: true });
    if (made !== undefined) await chmod(dir, 0o777);
    const handle = await open(file, NO_LINK, 0o666);
    await handle.chmod(0o666).catch(() => undefined);
    return handle;
  } catch (thrown) {
    throw new NoVerdictError(
      `lock-dir ${dir} cannot be used (${Object(thrown).code}): name a folder that the runner may write`,
    );
  }
}

/** flock(1) locks the open file that it shares with us, and leaves; the lock stays with our descriptor. */
function flock(handle: FileHandle, options: readonly string[], signal: AbortSignal | undefined): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    const child = spawn('flock', ['--exclusive', ...options, '3'], {
      stdio: ['ignore', 'ignore', 'ignore', handle.fd],
    });
    const stop = (): void => void child.kill('SIGKILL');
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    child.once('error', (error) =>
      'code' in error && error.code === 'ENOENT' ? resolve('unavailable') : reject(error),
    );
    child.once('close', (code) => {
      signal?.removeEventListener('abort', stop);
      // 1 is a lock held by another, null our own kill; everything else is no answer about the lock.
      resolve(code === 0 ? 'locked' : code === 1 || code === null ? 'busy' : 'unavailable');
    });
  });
}

async function ownerOf(file: string): Promise<string> {
  return readOwner(await readFile(file, 'utf8').catch(() => '')) ?? 'another process';
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${ms / 1000} s` : `${Math.round(ms / 60_000)} min`;
}
