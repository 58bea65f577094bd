import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import { openBranchStore } from '../../src/baseline/branch-store-edge.ts';
import { BRANCH, createRemote, ENVIRONMENT, git, type Remote, storeOf } from './git-remote.ts';
import { accepted, HEADER } from './samples.ts';

const WRITERS = 50;
let remote: Remote;
beforeAll(() => {
  remote = createRemote();
});
afterAll(() => remote.remove());

// Each writer has a case of its own, so that no compaction hides a lost session.
const sessionOf = (writer: number) => accepted({ session: `s${writer}`, case: `case-${writer}` });

async function write(writer: number, folder: string): Promise<number> {
  const clone = join(remote.folder, folder);
  git(remote.folder, 'init', '--quiet', clone);
  git(clone, 'remote', 'add', 'origin', `file://${remote.bare}`);
  const store = await openBranchStore({
    repository: clone,
    remote: 'origin',
    branch: BRANCH,
    environment: ENVIRONMENT,
    now: () => new Date('2026-12-01T10:00:00Z'),
    random: Math.random,
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  });
  const change = {
    address: HEADER,
    change: (current: Parameters<typeof appendSessions>[0]) => appendSessions(current, HEADER, [sessionOf(writer)]),
  };
  return (await store.update([change], `Store s${writer}`)).attempts;
}

it('50 writers at once, ten of them twice, leave 50 sessions: none lost, none twice', async () => {
  const first = [...Array(WRITERS).keys()].map((writer) => write(writer, `writer-${writer}`));
  const twins = [...Array(10).keys()].map((writer) => write(writer, `twin-${writer}`));
  const attempts = await Promise.all([...first, ...twins]);
  const baseline = await (await storeOf(remote.clone('reader'))).read(HEADER);
  const sessions = baseline?.sessions.map((entry) => entry.session) ?? [];
  expect([...sessions].sort()).toEqual([...Array(WRITERS).keys()].map((writer) => `s${writer}`).sort());
  // Every commit stores at least one session and none was rewritten away.
  expect(git(remote.bare, 'rev-list', '--count', BRANCH)).toBe(String(WRITERS));
  expect(Math.max(...attempts)).toBeGreaterThan(1);
}, 180_000);
