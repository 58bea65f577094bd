import { describe, expect, it } from '@jest/globals';
import { applyChanges } from '../../src/baseline/apply-changes.ts';
import {
  acceptSessions,
  listBaselines,
  showBaseline,
  storePassed,
  verifyBaselines,
} from '../../src/baseline/baseline-commands.ts';
import { parseBaselineAt, serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import { trendPoints } from '../../src/baseline/baseline-overview.ts';
import { baselinePath, modelFolder } from '../../src/baseline/baseline-path.ts';
import { acceptText, listText, pruneText, showText, verifyText } from '../../src/baseline/baseline-report.ts';
import type { BaselineAddress, BaselineStore } from '../../src/baseline/baseline-store.ts';
import { chainSinceAnchor } from '../../src/baseline/chain.ts';
import { chooseBase } from '../../src/baseline/choose-reference.ts';
import { pruneBaselines } from '../../src/baseline/prune-baselines.ts';
import { judgeCreepChain, needsAnchorRun } from '../../src/compare/creep.ts';
import { RefusedError } from '../../src/errors.ts';
import { P50 } from '../compare/stored-samples.ts';
import { accepted, chainedBaseline, HEADER } from './samples.ts';

/** A store in memory, made of the same pure parts as the real ones. */
function memoryStore(files: Record<string, string> = {}): BaselineStore & { files_: Record<string, string> } {
  const read = async (address: BaselineAddress) => {
    const path = baselinePath(address);
    return files[path] === undefined ? null : parseBaselineAt(files[path], address, path);
  };
  return {
    files_: files,
    kind: 'directory',
    place: 'memory',
    read,
    files: async (model) =>
      Object.entries(files)
        .filter(([path]) => model === null || path.startsWith(`${modelFolder(model)}/`))
        .map(([path, text]) => ({ path, text })),
    update: async (changes) => {
      const changed = await applyChanges(changes, read);
      for (const { path, text } of changed) {
        if (text === null) delete files[path];
        else files[path] = text;
      }
      return { written: changed.map((file) => file.path), attempts: 1, commit: null };
    },
  };
}

const CASE = 'ranker/cuda/b32/c1';
const group = (
  session: string,
  changes: Partial<Parameters<typeof accepted>[0]> = {},
  whyNot: string | null = null,
) => ({
  header: HEADER,
  sessions: [accepted({ session, ...changes })],
  whyNot,
});
const filled = () => memoryStore({ [baselinePath(HEADER)]: serialiseBaseline(chainedBaseline(40)) });

describe('accept', () => {
  it('appends what passed', async () => {
    const store = memoryStore();
    const report = await acceptSessions(store, [group('s0')], null);
    expect(acceptText(report)).toBe(`stored ${baselinePath(HEADER)}\n`);
    expect(acceptText(await acceptSessions(store, [group('s0')], null))).toMatch(/^nothing to store/);
  });

  it('refuses what did not pass without a reason, and starts an epoch with one (G14)', async () => {
    const store = filled();
    const big = [group('big', { base: 's39', step: Math.log(1.12) }, 'did not pass (x)')];
    await expect(acceptSessions(store, big, null)).rejects.toThrow(
      /"ranker" did not pass \(x\): accept it with --reason/,
    );
    expect((await store.read(HEADER))?.epochs).toHaveLength(1);
    await acceptSessions(store, big, 'new head doubles the embedding');
    const baseline = await store.read(HEADER);
    expect(baseline?.epochs.at(-1)).toEqual({ id: 2, anchor: 'big', reason: 'new head doubles the embedding' });
    const chain = baseline && chainSinceAnchor(baseline, CASE, 'latency.p50');
    expect(chain && judgeCreepChain({ metric: P50, chain, own: null, creepMargin: 0.05 }).status).toBe('pass');
  });

  it('refuses to accept nothing', async () => {
    await expect(acceptSessions(memoryStore(), [], 'why')).rejects.toThrow(RefusedError);
  });
});

describe('what the gate stores by itself', () => {
  it('is only what passed', async () => {
    const store = memoryStore();
    const other = { ...group('s0'), header: { ...HEADER, model: 'other' } };
    expect(await storePassed(store, [group('s0', {}, 'did not pass'), other])).toMatchObject({
      written: [baselinePath(other.header)],
    });
    expect(await storePassed(store, [group('s0', {}, 'did not pass')])).toBeNull();
  });

  it('never lets a +40 % value in, however often it arrives; slipped in, it fails against the anchor (G16)', async () => {
    const store = filled();
    const step = { base: 's39', step: Math.log(1.4), value: 5.6 };
    for (const session of ['first', 'second']) {
      expect(await storePassed(store, [group(session, step, 'did not pass')])).toBeNull();
      const baseline = await store.read(HEADER);
      expect((await chooseBase(baseline ? [baseline] : [], async () => true)).session?.session).toBe('s39');
    }
    await acceptSessions(store, [group('slipped', step)], null);
    const baseline = await store.read(HEADER);
    const chain = baseline && chainSinceAnchor(baseline, CASE, 'latency.p50');
    expect(chain && needsAnchorRun(chain, 'lower', 0.05)).toBe(true);
    expect(chain && judgeCreepChain({ metric: P50, chain, own: null, creepMargin: 0.05 }).status).toBe('regressed');
  });
});

describe('list, show and verify', () => {
  const broken = { 'baselines/cut/x.json': '{"schema":' };

  it('list every baseline and every broken file', async () => {
    const store = memoryStore({ ...filled().files_, ...broken });
    const list = await listBaselines(store);
    expect(list.baselines).toEqual([
      expect.objectContaining({
        model: 'ranker',
        machine: 'NVIDIA L4',
        cases: 1,
        sessions: 31,
        folded: 9,
        epoch: 1,
        newest: '2026-11-28T10:00:00Z',
      }),
    ]);
    expect(list.faults.map((fault) => fault.path)).toEqual(['baselines/cut/x.json']);
    expect(listText(list)).toBe(
      [
        '1 baselines in memory',
        'model   machine    class         cases  sessions        epoch  newest',
        'ranker  NVIDIA L4  9a1b2c3d4e5f  1      31 (+9 folded)  1      2026-11-28',
        'unusable: baselines/cut/x.json is not valid JSON (cut off, or a merge left marks in it): restore it from git, it is not overwritten',
        '',
      ].join('\n'),
    );
    expect(listText(await listBaselines(memoryStore()))).toBe('no baselines in memory\n');
    expect(verifyText(await verifyBaselines(store))).toMatch(/^1 of 2 baselines in memory are sound\nunusable: /);
  });

  it('show the spread between sessions and the way since the anchor', async () => {
    const details = await showBaseline(filled(), 'ranker');
    expect(details[0]?.metrics).toEqual([
      {
        case: CASE,
        metric: 'latency.p50',
        sessions: 31,
        value: 4,
        spread: 0,
        sinceAnchor: expect.closeTo(Math.expm1(0.039), 9),
        steps: 39,
      },
    ]);
    expect(showText(details)).toMatch(
      /epoch 1 since s0: first baseline\ncase .*\nranker\/cuda\/b32\/c1 +latency.p50 +31 +4 +0.0 % +4.0 % +39\n$/,
    );
    await expect(showBaseline(filled(), 'x\u001b[31m')).rejects.toThrow(/no baseline of "x\?\[31m" in memory/);
    await expect(showBaseline(memoryStore(broken), 'cut')).rejects.toThrow(RefusedError);
  });

  it('give a trend of the accepted values', () => {
    const points = trendPoints(chainedBaseline(3), CASE, 'latency.p50');
    expect(points).toEqual(Array(3).fill({ at: '2026-11-28', value: 4 }));
    expect(trendPoints(chainedBaseline(3), CASE, 'toString')).toEqual([]);
  });

  it('find a file that lies in another’s place', async () => {
    const store = memoryStore({ 'baselines/other/9a1b2c3d4e5f.json': serialiseBaseline(chainedBaseline(1)) });
    expect((await verifyBaselines(store)).faults[0]?.fault).toMatch(/holds what belongs to baselines\/ranker/);
  });

  it('print no control characters of a hostile file', async () => {
    const hostile = { ...chainedBaseline(1), model: 'a\n::error::b\u001b[2J', facts: { 'gpu.name': '\u202e<!--' } };
    const store = memoryStore({ [baselinePath(hostile)]: serialiseBaseline(hostile) });
    for (const text of [listText(await listBaselines(store)), showText(await showBaseline(store, hostile.model))]) {
      expect(text).toMatch(/^[\x20-\x7e\n]+$/);
      expect(text).not.toMatch(/^::error/m);
    }
  });
});

describe('prune', () => {
  const DAY = 86_400_000;
  const at = (days: number) => Date.parse('2026-11-28T10:00:00Z') + days * DAY;

  it.each([
    ['a model that is gone', { nowMs: at(0), olderThanMs: null, models: ['other'] }, /its model no longer exists/],
    ['an old one', { nowMs: at(100), olderThanMs: 90 * DAY, models: null }, /its newest session is 100 days old/],
    ['one in use', { nowMs: at(80), olderThanMs: 90 * DAY, models: ['ranker'] }, /^nothing to prune/],
  ])('%s', async (_name, request, text) => {
    const store = filled();
    const report = await pruneBaselines(store, request);
    expect(pruneText(report)).toMatch(text);
    expect(Object.keys(store.files_)).toHaveLength(report.pruned.length === 0 ? 1 : 0);
  });

  it('never removes what it can’t read', async () => {
    const store = memoryStore({ 'baselines/cut/x.json': '{' });
    expect((await pruneBaselines(store, { nowMs: at(999), olderThanMs: 0, models: [] })).pruned).toEqual([]);
    expect(Object.keys(store.files_)).toEqual(['baselines/cut/x.json']);
  });
});
