import { describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import { ageNotes, anchorOf, chooseBase, implausibleNotes } from '../../src/baseline/choose-reference.ts';
import { knownSpread } from '../../src/baseline/known-spread.ts';
import { whyNotWritten } from '../../src/baseline/may-write.ts';
import { accepted, chainedBaseline, HEADER } from './samples.ts';

const CASE = 'ranker/cuda/b32/c1';
const DAY = 86_400_000;

function withCommits(commits: readonly (string | null)[]): Baseline {
  let baseline: Baseline | null = null;
  for (const [index, commit] of commits.entries()) {
    baseline = appendSessions(baseline, HEADER, [{ ...accepted({ session: `s${index}` }), commit }]);
  }
  if (baseline === null) throw new Error('no commits');
  return baseline;
}

describe('the base of a push', () => {
  it('is the newest accepted session, whatever arrived since (G16)', async () => {
    const { session, notes } = await chooseBase([withCommits(['one', 'two'])], async () => true);
    expect(session?.commit).toBe('two');
    expect(notes).toEqual([]);
  });

  it('is an older one, said aloud, where the newest commit is gone (G7)', async () => {
    const chosen = await chooseBase(
      [withCommits(['one', 'two', 'three', 'three'])],
      async (commit) => commit === 'one',
    );
    expect(chosen.session?.commit).toBe('one');
    expect(chosen.notes).toEqual([
      { code: 'accepted-commit-gone', text: expect.stringMatching(/three, no longer exists.*: one is used instead/) },
    ]);
  });

  it('is nobody, said aloud, where none is left', async () => {
    const chosen = await chooseBase([withCommits(['one', null])], async () => false);
    expect(chosen.session).toBeNull();
    expect(chosen.notes[0]?.text).toMatch(/no other accepted commit is left/);
  });

  it('is the newest of all machines', async () => {
    const early = withCommits(['early']);
    const late = {
      ...early,
      class: 'other',
      sessions: early.sessions.map((entry) => ({ ...entry, commit: 'late', acceptedAt: '2026-11-29T09:00:00+02:00' })),
    };
    expect((await chooseBase([late, early], async () => true)).session?.commit).toBe('late');
    expect(await chooseBase([], async () => true)).toEqual({ session: null, notes: [] });
  });

  it('knows the anchor of a case', () => {
    expect(anchorOf(chainedBaseline(40), CASE)?.session).toBe('s0');
    expect(anchorOf(chainedBaseline(2), 'another')).toBeNull();
  });
});

describe('the spread a case is known for', () => {
  it('is the spread of one restart’s ratio over the last three measured sessions', () => {
    const baseline = chainedBaseline(8);
    expect(knownSpread(baseline, CASE, 'latency.p50')).toBeCloseTo(0.001 * Math.sqrt(6), 12);
    expect(knownSpread(baseline, 'another', 'latency.p50')).toBeNull();
    const noisy = appendSessions(baseline, HEADER, [accepted({ session: 'x', base: 's7', se: 0.5 })]);
    expect(noisy && knownSpread(noisy, CASE, 'latency.p50')).toBeCloseTo(0.001 * Math.sqrt(6), 12);
  });

  it('is unknown where nothing was measured against anything', () => {
    expect(knownSpread(chainedBaseline(1), CASE, 'latency.p50')).toBeNull();
    const equal = [0, 1, 2].reduce<Baseline | null>(
      (current, index) =>
        appendSessions(current, HEADER, [accepted({ session: `s${index}`, bytes: 'same', base: 'same' })]),
      null,
    );
    expect(equal && knownSpread(equal, CASE, 'latency.p50')).toBeNull();
  });
});

describe('warnings', () => {
  it.each([
    [13, []],
    [14, []],
    [26, [{ code: 'baseline-old', text: expect.stringMatching(/is 26 days old \(allowed 14\)/) }]],
  ])('a baseline %i days old with a limit of 14 (Z6)', (age, notes) => {
    const now = Date.parse('2026-11-28T10:00:00Z') + age * DAY;
    expect(ageNotes(chainedBaseline(3), CASE, now, 14 * DAY)).toEqual(notes);
  });

  it.each([
    [7.7, true],
    [0.96, false],
    [1.2, false],
    [0.4, true],
    [0, false],
  ])('base at %d ms where history sits at 0.96 ms (N13): implausible %s', (value, isImplausible) => {
    let baseline: Baseline | null = null;
    for (let index = 0; index < 8; index++) {
      baseline = appendSessions(baseline, HEADER, [
        accepted({ session: `s${index}`, value: 0.96 + 0.002 * (index % 3) }),
      ]);
    }
    const notes = baseline === null ? [] : implausibleNotes(baseline, CASE, 'latency.p50', value);
    expect(notes.map((note) => note.code)).toEqual(isImplausible ? ['baseline-implausible'] : []);
    if (isImplausible) expect(notes[0]?.text).toMatch(new RegExp(`latency.p50 ${value} .* 0.962`));
  });

  it('are silent without a history', () => {
    expect(implausibleNotes(chainedBaseline(2), CASE, 'latency.p50', 99)).toEqual([]);
    expect(implausibleNotes(chainedBaseline(5), CASE, 'constructor', 99)).toEqual([]);
    expect(ageNotes(chainedBaseline(2), 'another', 9e15, 0)).toEqual([]);
  });
});

describe('who may write a baseline', () => {
  const push = { kind: 'push', isFork: false, mayStoreBaseline: true } as const;
  const request = {
    intent: 'gate',
    store: 'branch',
    branch: 'model-gate-baselines',
    defaultBranch: 'main',
    trigger: push,
  } as const;

  it.each([
    ['a push to the default branch', {}, null],
    ['a push to another branch', { trigger: { ...push, mayStoreBaseline: false } }, /push to the default branch only/],
    [
      'a pull request',
      { trigger: { kind: 'pull-request', isFork: false, mayStoreBaseline: false } },
      /push to the default/,
    ],
    ['the gate and the directory store', { store: 'directory' }, /written by `model-gate baseline accept` only/],
    [
      'a person and the directory store',
      { store: 'directory', intent: 'accept', trigger: { ...push, kind: 'local', mayStoreBaseline: false } },
      null,
    ],
    [
      'a person on a dispatched run',
      { intent: 'accept', trigger: { ...push, kind: 'dispatch', mayStoreBaseline: false } },
      null,
    ],
    [
      'a fork, even accepting',
      { intent: 'accept', trigger: { kind: 'pull-request', isFork: true, mayStoreBaseline: false } },
      /a fork never/,
    ],
    ['the default branch as store', { branch: 'main' }, /is the default branch "main"/],
  ] as const)('%s', (_name, changes, why) => {
    const answer = whyNotWritten({ ...request, ...changes });
    if (why === null) expect(answer).toBeNull();
    else expect(answer).toMatch(why);
  });
});
