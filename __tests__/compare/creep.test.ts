import { describe, expect, it } from '@jest/globals';
import { type Chain, EMPTY_CHAIN, joinChains, linkChain } from '../../src/baseline/chain.ts';
import { judgeCreepChain, needsAnchorRun } from '../../src/compare/creep.ts';
import { blameForCreep } from '../../src/compare/creep-policy.ts';
import { P50, THROUGHPUT } from './stored-samples.ts';

function chain(steps: number, log: number, se: number): Chain {
  return Array.from({ length: steps }, () => linkChain({ log, se }, 6)).reduce(joinChains, EMPTY_CHAIN);
}

describe('trigger of a run against the anchor', () => {
  it.each([
    ['no step yet', EMPTY_CHAIN, false],
    ['two steps of 1 %', chain(2, 0.01, 0.002), false],
    ['three steps of 1 %', chain(3, 0.01, 0.002), true],
    ['three steps of 1 %, uncertain', chain(3, 0.01, 0.01), false],
    ['steps that got faster', chain(9, -0.01, 0.001), false],
    ['a missing link', linkChain(null, 6), true],
  ] as const)('%s', (_name, given, expected) => {
    expect(needsAnchorRun(given, 'lower', 0.05)).toBe(expected);
  });

  it('reads throughput the other way', () => {
    expect(needsAnchorRun(chain(4, -0.01, 0.001), 'higher', 0.05)).toBe(true);
    expect(needsAnchorRun(chain(4, 0.01, 0.001), 'higher', 0.05)).toBe(false);
  });
});

describe('the chain where the anchor can’t run', () => {
  const judge = (given: Chain, own: Chain | null = null) =>
    judgeCreepChain({ metric: P50, chain: given, own, creepMargin: 0.05 });

  it.each([
    ['nothing since the anchor', EMPTY_CHAIN, 'pass', 'gated'],
    ['25 steps of 0 %', chain(25, 0, 0.002), 'pass', 'gated'],
    ['25 identical models', chain(25, 0, 0), 'pass', 'gated'],
    ['ten steps of 1 %', chain(10, 0.01, 0.002), 'regressed', 'gated'],
    ['ten steps of 1 %, very uncertain', chain(10, 0.01, 0.008), 'inconclusive', 'advisory'],
    ['five steps of 1 %, near the line', chain(5, 0.0099, 0.002), 'inconclusive', 'advisory'],
    ['a missing link', linkChain(null, 6), 'inconclusive', 'advisory'],
    // 0.05 % of unknown bias a step: the allowance keeps it from looking like creep for long.
    ['a +40 % step that was stored', chain(1, Math.log(1.4), 0.003), 'regressed', 'gated'],
  ] as const)('%s is %s', (_name, given, status, role) => {
    expect(judge(given)).toMatchObject({ status, role, comparison: 'creep' });
  });

  it('counts this change’s own step', () => {
    expect(judge(chain(5, 0.009, 0.001)).status).not.toBe('regressed');
    expect(judge(chain(5, 0.009, 0.001), chain(1, 0.04, 0.001)).status).toBe('regressed');
  });

  it('allows 0.1 % of bias a step and uses t, not z', () => {
    const { interval } = judge(chain(1, 0.06, 0.002));
    // qt(0.95, 5) of R.
    expect(interval?.[0]).toBeCloseTo(Math.expm1(0.06 - 2.015048373333 * 0.002 - 0.001), 9);
  });

  it('turns signs for throughput', () => {
    const row = judgeCreepChain({ metric: THROUGHPUT, chain: chain(10, -0.01, 0.002), own: null, creepMargin: 0.05 });
    expect(row.status).toBe('regressed');
    expect(row.margin).toBe(-0.05);
    expect(row.interval?.[1]).toBeLessThan(-0.05);
    expect(row.interval?.[0]).toBeLessThan(row.interval?.[1] ?? 0);
  });
});

describe('whom creep turns red', () => {
  const regressed = { role: 'gated', status: 'regressed', reason: '+7 % over 7 steps' } as const;
  const innocent = { interval: [-0.004, 0.006], better: 'lower' } as const;
  const guilty = { interval: [0.004, 0.012], better: 'lower' } as const;
  const trigger = (kind: 'push' | 'schedule' | 'pull-request' | 'merge-group' | 'dispatch', isLaunch = false) => ({
    kind,
    isLaunch,
  });

  it.each([
    ['a push', trigger('push'), innocent, 'gated'],
    ['a schedule', trigger('schedule'), null, 'gated'],
    ['a launch', trigger('dispatch', true), null, 'gated'],
    ['an innocent pull request', trigger('pull-request'), innocent, 'advisory'],
    ['a pull request that was not measured', trigger('pull-request'), null, 'advisory'],
    [
      'a pull request whose interval has no lower end',
      trigger('pull-request'),
      { ...guilty, interval: [null, 0.01] },
      'advisory',
    ],
    ['a pull request that adds to it', trigger('pull-request'), guilty, 'gated'],
    ['throughput that fell', trigger('pull-request'), { interval: [-0.02, -0.01], better: 'higher' }, 'gated'],
    ['throughput that rose', trigger('pull-request'), { interval: [0.01, 0.02], better: 'higher' }, 'advisory'],
    ['an innocent merge group', trigger('merge-group'), innocent, 'advisory'],
  ] as const)('%s: %s', (_name, given, own, role) => {
    const blame = blameForCreep(regressed, given, own);
    expect(blame.role).toBe(role);
    expect(blame.note === null).toBe(role === 'gated');
  });

  it('leaves an innocent pull request in peace where nothing was crossed either', () => {
    const open = { role: 'gated', status: 'inconclusive', reason: '' } as const;
    expect(blameForCreep(open, trigger('pull-request'), innocent)).toEqual({ role: 'advisory', note: null });
    expect(blameForCreep({ ...open, role: 'advisory' }, trigger('push'), null)).toEqual({
      role: 'advisory',
      note: null,
    });
  });
});
