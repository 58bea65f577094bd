import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Folder of lock files where `lock-dir` is not set; all runners of a host share its temporary folder. */
export function defaultLockDir(temporaryDir: string): string {
  return join(temporaryDir, 'model-gate-locks');
}

/** File that stands for one card; the key comes from a tool and may hold anything. */
export function lockFile(dir: string, key: string): string {
  const readable = key.replace(/[^A-Za-z0-9-]/g, '_').slice(0, 60);
  return join(dir, `${readable}-${createHash('sha256').update(key).digest('hex').slice(0, 8)}.lock`);
}

/** What the owner leaves in the file, for those who wait. */
export function describeOwner(pid: number, since: string): string {
  return `process ${pid} since ${since}`;
}

/** The owner's text if it is one; anybody may write to the file. */
export function readOwner(text: string): string | null {
  return /^process \d{1,10} since [0-9TZ:.-]{20,30}$/.exec(text.trim())?.[0] ?? null;
}

/** What the lock cannot promise here, for the report; null where it protects the card on the whole host. */
export function lockCaveat(
  isDefaultDir: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): string | null {
  const inPod = environment['KUBERNETES_SERVICE_HOST'] !== undefined;
  return inPod && isDefaultDir
    ? 'the GPU is taken to be exclusive by the device plugin (not verified): set lock-dir to a hostPath to lock it across pods'
    : null;
}
