import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import type { AddressedChange } from '../../src/baseline/baseline-store.ts';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import { BRANCH, createRemote, git, type Remote, storeOf } from './git-remote.ts';
import { type HttpHost, serveGit } from './http-remote.ts';
import { accepted, HEADER } from './samples.ts';

const AUTHORIZATION = 'basic dG9rZW46c2VjcmV0';
let remote: Remote;
let host: HttpHost;
let faults: { pushes: number; after: 'storing' | 'nothing' };

beforeEach(async () => {
  remote = createRemote();
  git(remote.bare, 'config', 'http.receivepack', 'true');
  faults = { pushes: 0, after: 'nothing' };
  host = await serveGit(remote.folder, AUTHORIZATION, faults);
});
afterEach(async () => {
  await host.close();
  remote.remove();
});

/** A clone as actions/checkout leaves it: over HTTP, its token in a header of its own settings. */
function httpClone(name: string, authorization: string): string {
  const clone = remote.clone(name, '--depth=1');
  git(clone, 'remote', 'set-url', 'origin', `${host.url}/remote.git`);
  git(clone, 'config', `http.${host.url}/.extraheader`, `AUTHORIZATION: ${authorization}`);
  return clone;
}

const add = (session: string): AddressedChange => ({
  address: HEADER,
  change: (current) => appendSessions(current, HEADER, [accepted({ session })]),
});

async function refusalOf(promise: Promise<unknown>): Promise<RefusedError> {
  const thrown = await promise.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof RefusedError) return thrown;
  throw new Error(`expected a refusal, got ${String(thrown)}`);
}

describe('branch store over HTTP', () => {
  it('reads and writes with the clone’s own credentials', async () => {
    const store = await storeOf(httpClone('a', AUTHORIZATION));
    await store.update([add('s0')], 'Store');
    await (await storeOf(httpClone('b', AUTHORIZATION))).update([add('s1')], 'Store');
    await store.update([add('s2')], 'Store');
    expect((await store.read(HEADER))?.sessions.map((entry) => entry.session)).toEqual(['s0', 's1', 's2']);
  });

  it('says loudly, and without the token, that the job may not write', async () => {
    const clone = httpClone('a', 'basic d3Jvbmc=');
    git(clone, 'remote', 'set-url', 'origin', `http://user:hunter2@127.0.0.1:${host.port}/remote.git`);
    const { message } = await refusalOf((await storeOf(clone)).update([add('s0')], 'Store'));
    expect(message).toMatch(/^the baseline was not stored: .*403.*"contents: write"/);
    expect(message).not.toMatch(/hunter2|\n/);
  });

  it('passes on, in one printable line, what a protected branch answers', async () => {
    const hook = `#!/bin/sh
printf '\\033[31mGH006: Protected branch update failed for refs/heads/${BRANCH}.\\n::error::Changes must be made through a pull request.\\n' >&2
exit 1
`;
    writeFileSync(join(remote.bare, 'hooks', 'pre-receive'), hook, { mode: 0o755 });
    const { message } = await refusalOf((await storeOf(httpClone('a', AUTHORIZATION))).update([add('s0')], 'Store'));
    expect(message).toMatch(/pre-receive hook declined.*GH006: Protected branch update failed.*pull request/);
    expect(message).toMatch(/^[\x20-\x7e]+$/);
    expect(git(remote.bare, 'branch', '--list', BRANCH)).toBe('');
  });

  it.each(['storing', 'nothing'] as const)(
    'tries again after a gateway error that came after %s, and stores once',
    async (after) => {
      Object.assign(faults, { pushes: 2, after });
      const store = await storeOf(httpClone('a', AUTHORIZATION));
      await store.update([add('s0')], 'Store');
      expect((await store.read(HEADER))?.sessions.map((entry) => entry.session)).toEqual(['s0']);
      expect(git(remote.bare, 'rev-list', '--count', BRANCH)).toBe('1');
    },
  );

  it('gives up on a host that fails each push', async () => {
    Object.assign(faults, { pushes: 1000, after: 'nothing' });
    const store = await storeOf(httpClone('a', AUTHORIZATION));
    await expect(store.update([add('s0')], 'Store')).rejects.toThrow(/was not stored on .* in 10 tries: .*500/);
  });

  it('tells a host that is down from a missing baseline', async () => {
    const clone = httpClone('a', AUTHORIZATION);
    git(clone, 'remote', 'set-url', 'origin', 'http://127.0.0.1:1/remote.git');
    await expect((await storeOf(clone)).read(HEADER)).rejects.toThrow(NoVerdictError);
  });
});
