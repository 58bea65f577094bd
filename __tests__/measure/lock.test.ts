import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { lockCaveat, lockFile, readOwner } from '../../src/measure/lock.ts';
import { acquireLock } from '../../src/measure/lock-edge.ts';

const root = mkdtempSync(join(tmpdir(), 'gate-lock-'));
const holderFile = join(root, 'holder.mjs');
const KEY = 'GPU-1';

beforeAll(async () => {
  const entry = new URL('../fakes/lock-holder.ts', import.meta.url).pathname;
  await build({
    entryPoints: [entry],
    outfile: holderFile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

let folder = 0;
const freshDir = (): string => join(root, `locks-${folder++}`);

const holders: ChildProcess[] = [];
afterEach(() => {
  for (const child of holders.splice(0)) child.kill('SIGKILL');
});

/** Starts a holder; `line(text)` resolves with the first line that holds the text. */
function holder(dir: string, limitMs = 30_000, env: NodeJS.ProcessEnv = process.env) {
  const child = spawn(process.execPath, [holderFile, dir, KEY, String(limitMs)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env,
  });
  holders.push(child);
  let printed = '';
  const line = (text: string): Promise<string> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = printed.split('\n').find((candidate) => candidate.includes(text));
        if (found !== undefined) resolve(found);
      };
      child.stdout.on('data', (chunk) => {
        printed += chunk;
        look();
      });
      look();
    });
  return { child, line, printed: () => printed };
}

describe('lock of a card', () => {
  it('is taken at once where nobody holds it, and again after its release', async () => {
    const dir = freshDir();
    const messages: string[] = [];
    const request = { dir, key: KEY, limitMs: 10_000, onWait: (message: string) => void messages.push(message) };
    for (const _ of [1, 2]) {
      const lock = await acquireLock(request);
      expect(lock.caveat).toBeNull();
      await lock.release();
    }
    expect(messages).toEqual([]);
  });

  it('makes a second job wait, with a message that names the owner', async () => {
    const dir = freshDir();
    const first = holder(dir);
    await first.line('held');
    const second = holder(dir);
    expect(await second.line('waiting')).toMatch(
      new RegExp(`^waiting for ${KEY}, used by process ${first.child.pid} since .*\\(30 s at most\\)$`),
    );
    expect(second.printed()).not.toContain('held');
    first.child.stdin?.end();
    await second.line('held');
  });

  it('passes to one of two waiters when its owner is killed, and then to the other', async () => {
    const dir = freshDir();
    const owner = holder(dir);
    await owner.line('held');
    const waiters = [holder(dir), holder(dir)];
    await Promise.all(waiters.map((waiter) => waiter.line('waiting')));
    owner.child.kill('SIGKILL');
    const winner = await Promise.race(waiters.map((waiter) => waiter.line('held').then(() => waiter)));
    const loser = waiters.find((waiter) => waiter !== winner);
    expect(loser?.printed()).not.toContain('held');
    winner.child.kill('SIGKILL');
    await loser?.line('held');
    expect(loser?.printed()).toContain('held');
  });

  it('gives up after the limit, naming card and owner', async () => {
    const dir = freshDir();
    const owner = holder(dir);
    await owner.line('held');
    await expect(acquireLock({ dir, key: KEY, limitMs: 100, onWait: () => undefined })).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringMatching(/^GPU-1 was not free within 0.1 s \(used by process \d+ since /),
    });
  });

  it('stops waiting when the run is cancelled', async () => {
    const dir = freshDir();
    const owner = holder(dir);
    await owner.line('held');
    const cancel = new AbortController();
    const waiting = acquireLock({
      dir,
      key: KEY,
      limitMs: 30_000,
      onWait: () => cancel.abort(),
      signal: cancel.signal,
    });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('that cannot be taken for want of a tool is told, and nobody waits', async () => {
    const job = holder(freshDir(), 30_000, { PATH: '/nonexistent' });
    expect(await job.line('GPU')).toContain('not locked against other jobs: flock (util-linux) is missing');
  });

  it('of another card is independent', async () => {
    const dir = freshDir();
    const owner = holder(dir);
    await owner.line('held');
    const lock = await acquireLock({ dir, key: 'GPU-2', limitMs: 100, onWait: () => undefined });
    expect(lock.caveat).toBeNull();
    await lock.release();
  });

  it('lies where other users of the host may open it', async () => {
    const dir = freshDir();
    const lock = await acquireLock({ dir, key: KEY, limitMs: 100, onWait: () => undefined });
    await lock.release();
    expect(statSync(dir).mode & 0o1777).toBe(0o777);
    expect(statSync(lockFile(dir, KEY)).mode & 0o666).toBe(0o666);
  });

  it('does not follow a link that somebody laid in its place', async () => {
    const dir = freshDir();
    const victim = join(root, 'victim');
    writeFileSync(victim, 'precious');
    mkdirSync(dir);
    symlinkSync(victim, lockFile(dir, KEY));
    await expect(acquireLock({ dir, key: KEY, limitMs: 100, onWait: () => undefined })).rejects.toMatchObject({
      message: expect.stringContaining('ELOOP'),
    });
    expect(readFileSync(victim, 'utf8')).toBe('precious');
  });

  it('needs a folder that can be written', async () => {
    const file = join(root, 'a-file');
    writeFileSync(file, '');
    await expect(acquireLock({ dir: file, key: KEY, limitMs: 100, onWait: () => undefined })).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringContaining(`lock-dir ${file} cannot be used (EEXIST)`),
    });
  });
});

describe('names and texts', () => {
  it.each(['GPU-1', '../../etc/passwd', 'a/b', 'x'.repeat(500)])('file of %s stays in the folder', (key) => {
    expect(lockFile('/locks', key)).toMatch(/^\/locks\/[A-Za-z0-9_-]+\.lock$/);
  });

  it.each([
    ['process 12 since 2026-12-01T10:00:00.000Z', true],
    ['', false],
    ['::error::owned', false],
    ['process 12 since 2026-12-01T10:00:00.000Z\n::error::', false],
  ])('owner text %j is believed: %s', (text, believed) => {
    expect(readOwner(text) !== null).toBe(believed);
  });

  it.each([
    [true, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, true],
    [false, { KUBERNETES_SERVICE_HOST: '10.0.0.1' }, false],
    [true, {}, false],
  ])('default folder %s in %j has a caveat: %s', (isDefault, environment, caveat) => {
    expect(lockCaveat(isDefault, environment) !== null).toBe(caveat);
  });
});
