import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { withoutSecrets } from './prepare-command.ts';

export interface PrepareRun {
  /** Already filled in. */
  readonly command: string;
  readonly checkout: string;
  /** Receives everything the command prints; nothing of it reaches our own output. */
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface PrepareResult {
  /** In words; null where the command succeeded. */
  readonly failure: string | null;
  /** End of what the command printed. */
  readonly logTail: string;
}

const TAIL_BYTES = 2000;

/** Runs a `prepare` command by the shell in its checkout; it and all it started are killed at the time limit. */
export async function runPrepare(run: PrepareRun): Promise<PrepareResult> {
  if (run.signal?.aborted) return { failure: 'was cancelled', logTail: '' };
  const log = await open(run.logFile, 'w+');
  try {
    const child = spawn('/bin/sh', ['-c', run.command], {
      cwd: run.checkout,
      env: withoutSecrets(process.env),
      stdio: ['ignore', log.fd, log.fd],
      detached: true,
    });
    const failure = await new Promise<string | null>((resolve) => {
      let reason: string | null = null;
      const stop = (why: string) => {
        reason = why;
        killGroup(child.pid);
      };
      const timer = setTimeout(() => stop(`took longer than ${Math.round(run.timeoutMs / 1000)} s`), run.timeoutMs);
      const cancel = () => stop('was cancelled');
      run.signal?.addEventListener('abort', cancel, { once: true });
      const end = (text: string | null) => {
        clearTimeout(timer);
        run.signal?.removeEventListener('abort', cancel);
        // What it left running would disturb the measurement.
        killGroup(child.pid);
        resolve(reason ?? text);
      };
      child.once('error', (error) => end(`could not be started (${error.message})`));
      child.once('exit', (code, signal) => end(code === 0 ? null : `ended with ${signal ?? `exit code ${code}`}`));
    });
    const { size } = await log.stat();
    const { buffer, bytesRead } = await log.read(
      Buffer.alloc(TAIL_BYTES),
      0,
      TAIL_BYTES,
      Math.max(0, size - TAIL_BYTES),
    );
    return { failure, logTail: buffer.toString('utf8', 0, bytesRead) };
  } finally {
    await log.close();
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The group has ended by itself.
  }
}
