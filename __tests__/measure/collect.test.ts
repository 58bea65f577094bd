import { describe, expect, it } from '@jest/globals';
import { type CaseRecord, entryOf } from '../../src/measure/case-record.ts';
import { type CaseProgress, type CollectOptions, collect } from '../../src/measure/collect.ts';
import type { Measurer, Preparation, RestartResult } from '../../src/measure/measurer.ts';
import type { CaseGroup } from '../../src/plan/plan.ts';
import { buildGroup } from '../plan/planning.ts';

const PREPARED: Preparation = {
  mode: 'duet',
  metrics: {},
  unreachable: [],
  secondsPerRestart: 10,
  notes: [],
  plain: {},
  fault: null,
  armFacts: { base: {}, head: {} },
};

/** A measurer that writes down what it is asked; its clock moves 10 s a restart. */
function scripted(results: (group: CaseGroup, index: number) => Partial<RestartResult> | Error = () => ({})) {
  const log: string[] = [];
  const clock = { ms: 0 };
  const measurer: Measurer = {
    prepare: async (group) => {
      log.push(`prepare ${group.model}`);
      return PREPARED;
    },
    restart: async (group, index, caseIds) => {
      log.push(`${group.model} ${index} ${caseIds.map((id) => id.split('/')[2]).join(' ')}`);
      clock.ms += 10_000;
      const result = results(group, index);
      if (result instanceof Error) throw result;
      const restart = { index, valid: true, notes: [], values: { 'latency.p50': 1 } };
      const pairs = Object.fromEntries(caseIds.map((id) => [id, { base: restart, head: restart }]));
      return { pairs, notes: [], fault: null, ...result };
    },
    finish: async (group) => {
      log.push(`finish ${group.model}`);
    },
  };
  return { measurer, log, clock };
}

/** Decided once a case has as many restarts as `needs` says; the rest are as suspicious as told. */
function run(
  groups: readonly CaseGroup[],
  script: ReturnType<typeof scripted>,
  needs: (caseId: string) => number,
  more: Partial<CollectOptions> & { suspicion?: (model: string) => number; failed?: (model: string) => boolean } = {},
): Promise<CaseRecord[]> {
  const progressOf = (record: CaseRecord): CaseProgress => ({
    decided: record.fault !== null || record.head.filter(({ valid }) => valid).length >= needs(record.spec.id),
    suspicion: more.suspicion?.(record.group.model) ?? 1,
    failed: more.failed?.(record.group.model) ?? false,
  });
  return collect(groups, {
    measurer: script.measurer,
    looks: [6, 9, 13],
    deadlineMs: 1e9,
    nowMs: () => script.clock.ms,
    failFast: 'judge-all',
    onPrepared: () => {},
    onRestart: () => {},
    signal: new AbortController().signal,
    progressOf,
    ...more,
  });
}

const restartsOf = (log: readonly string[], model: string) => log.filter((line) => line.startsWith(`${model} `)).length;

describe('collecting restarts', () => {
  it('gives every group the first look before any goes on, and stops a decided one', async () => {
    const script = scripted();
    await run([buildGroup('quick'), buildGroup('slow')], script, (id) => (id.startsWith('quick') ? 6 : 9));
    expect(script.log.filter((line) => !line.startsWith('prepare') && !line.startsWith('finish'))).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((i) => `quick ${i} b1`),
      ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((i) => `slow ${i} b1`),
    ]);
  });

  it('settles suspects first after the first look', async () => {
    const script = scripted();
    await run([buildGroup('calm'), buildGroup('suspect')], script, () => 9, {
      suspicion: (model) => (model === 'suspect' ? 0.01 : 0.4),
    });
    const later = script.log.filter((line) => / [6-8] b1$/.test(line));
    expect(later[0]).toBe('suspect 6 b1');
    expect(later).toHaveLength(6);
  });

  it('drops a decided batch from later restarts', async () => {
    const script = scripted();
    await run([buildGroup('m', {}, [1, 32])], script, (id) => (id.includes('/b1/') ? 6 : 9));
    expect(script.log.slice(1, 3)).toEqual(['m 0 b1 b32', 'm 1 b1 b32']);
    expect(script.log.slice(7, 10)).toEqual(['m 6 b32', 'm 7 b32', 'm 8 b32']);
  });

  it('keeps within the time budget, whole restarts only', async () => {
    const script = scripted();
    const [record] = await run([buildGroup('m')], script, () => 99, { deadlineMs: 45_000 });
    expect(record?.head).toHaveLength(4);
  });

  it('measures nothing for equal arms', async () => {
    const script = scripted();
    const [record] = await run([buildGroup('same', { unchanged: true })], script, () => 6);
    expect(script.log).toEqual([]);
    expect(record?.group.model).toBe('same');
  });

  it('spends more restarts to replace invalid ones, but not without end', async () => {
    const invalid = { index: 0, valid: false, notes: [], values: {} };
    const script = scripted(() => ({ pairs: { 'm/cpu/b1/c1': { base: invalid, head: invalid } } }));
    await run([buildGroup('m')], script, () => 6);
    expect(restartsOf(script.log, 'm')).toBeLessThanOrEqual(20);
    expect(restartsOf(script.log, 'm')).toBeGreaterThan(6);
  });

  it.each([
    ['a thrown error', () => new Error('no room')],
    ['a fault', () => ({ pairs: {}, fault: { kind: 'not-measured' as const, reason: 'no room' } })],
  ])('ends a group at %s, with the reason, and measures the others', async (_, result) => {
    const script = scripted((group) => (group.model === 'broken' ? result() : {}));
    const [broken, fine] = await run([buildGroup('broken'), buildGroup('fine')], script, () => 6);
    expect(broken?.fault).toEqual({ kind: 'not-measured', reason: 'no room' });
    expect(restartsOf(script.log, 'broken')).toBe(1);
    expect(fine?.head).toHaveLength(6);
  });

  it('stops starting cases after a failure where it is asked to', async () => {
    const script = scripted();
    await run([buildGroup('bad'), buildGroup('next')], script, () => 6, {
      failFast: 'stop-after-first-failure',
      failed: (model) => model === 'bad' && restartsOf(script.log, 'bad') >= 6,
    });
    expect(restartsOf(script.log, 'next')).toBe(0);
  });

  describe('on a card at its power limit', () => {
    const SOLO = { base: [1, 1, 1], head: [1.1, 1.1, 1.1] };

    /** A measurer that also offers to run arms alone, and says whether it is of use. */
    function capped(needed: boolean, alone: () => typeof SOLO | null | Error = () => SOLO) {
      const script = scripted();
      const measurer: Measurer = {
        ...script.measurer,
        needsSoloPass: () => needed,
        soloPass: async (group, caseIds) => {
          script.log.push(`alone ${group.model} ${caseIds.map((id) => id.split('/')[2]).join(' ')}`);
          const found = alone();
          if (found instanceof Error) throw found;
          return found === null ? {} : Object.fromEntries(caseIds.map((id) => [id, found]));
        },
      };
      return { ...script, measurer };
    }
    const aloneIn = (log: readonly string[]) => log.filter((line) => line.startsWith('alone'));

    it('runs the arms of a decided group alone once, right after it is decided, and keeps the runs', async () => {
      const script = capped(true);
      const [quick] = await run([buildGroup('quick'), buildGroup('slow')], script, (id) => (id[0] === 'q' ? 6 : 9));
      expect(aloneIn(script.log)).toEqual(['alone quick b1', 'alone slow b1']);
      expect(script.log[script.log.indexOf('alone quick b1') - 1]).toBe('quick 5 b1');
      expect(quick && entryOf(quick, 'head').solo).toEqual(SOLO);
      expect(quick && entryOf(quick, 'base').solo).toBeUndefined();
    });

    it('runs only the decided cases of a group alone where others stay open', async () => {
      const script = capped(true);
      await run([buildGroup('m', {}, [1, 32])], script, (id) => (id.includes('/b1/') ? 6 : 99));
      expect(aloneIn(script.log)).toEqual(['alone m b1']);
    });

    it.each([
      ['the measurer sees no need', false, {}, 6],
      ['nothing is decided', true, {}, 99],
      ['the model is new', true, { base: null }, 6],
      ['head is compared with its anchor', true, { comparison: 'creep' as const }, 6],
    ])('does not where %s', async (_, needed, overrides, restarts) => {
      const script = capped(needed);
      await run([buildGroup('m', overrides)], script, () => restarts);
      expect(aloneIn(script.log)).toEqual([]);
    });

    it.each([
      ['no time is left', () => SOLO, 149_000, 0, 'raise the time-budget'],
      ['it fails', () => new Error('no room'), 1e9, 1, 'no room'],
      ['no run is usable', () => null, 1e9, 1, 'no run was usable'],
    ])('says so first where %s', async (_, alone, deadlineMs, passes, reason) => {
      const script = capped(true, alone);
      const [record] = await run([buildGroup('m')], script, () => 6, { deadlineMs });
      expect(aloneIn(script.log)).toHaveLength(passes);
      expect(record?.head).toHaveLength(6);
      expect(record?.fault).toBeNull();
      expect(record?.solo).toBeUndefined();
      expect(record?.notes).toEqual([
        { code: 'solo-pass', headline: true, text: expect.stringMatching(`^m/cpu/b1/c1: .*power limit.*${reason}`) },
      ]);
    });

    it('stops when cancelled while an arm runs alone, and cleans up', async () => {
      const cancel = new AbortController();
      const script = capped(true, () => {
        cancel.abort(new Error('cancelled'));
        return new Error('worker ended');
      });
      await expect(run([buildGroup('m')], script, () => 6, { signal: cancel.signal })).rejects.toThrow('cancelled');
      expect(script.log.at(-1)).toBe('finish m');
    });
  });

  it('cleans up every group, also when cancelled', async () => {
    const cancel = new AbortController();
    const script = scripted((_, index) => {
      if (index === 2) cancel.abort(new Error('cancelled'));
      return {};
    });
    await expect(run([buildGroup('a'), buildGroup('b')], script, () => 6, { signal: cancel.signal })).rejects.toThrow(
      'cancelled',
    );
    expect(script.log.slice(-2)).toEqual(['finish a', 'finish b']);
  });
});
