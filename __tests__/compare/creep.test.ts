import { describe, expect, it } from '@jest/globals';
import { type Chain, EMPTY_CHAIN, joinChains, linkChain } from '../../src/baseline/chain.ts';
import { creepRowOf, judgeCreepChain, needsAnchorRun } from '../../src/compare/creep.ts';
import { creepRuleFor } from '../../src/compare/creep-policy.ts';
import { rowSchema } from '../../src/verdict/verdict.ts';
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
    const low = 0.06 - 2.015048373333 * 0.002;
    expect(interval?.[0]).toBeCloseTo(Math.expm1(low), 9);
    expect(
      judgeCreepChain({ metric: P50, chain: chain(1, 0.06, 0.002), own: null, creepMargin: Math.expm1(low - 0.00101) })
        .status,
    ).toBe('regressed');
    expect(
      judgeCreepChain({ metric: P50, chain: chain(1, 0.06, 0.002), own: null, creepMargin: Math.expm1(low - 0.00099) })
        .status,
    ).toBe('inconclusive');
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
  it.each([
    ['a push', { kind: 'push', isLaunch: false }, 'always'],
    ['a schedule', { kind: 'schedule', isLaunch: false }, 'always'],
    ['a launch by hand', { kind: 'dispatch', isLaunch: true }, 'always'],
    ['a pull request', { kind: 'pull-request', isLaunch: false }, 'if-own-change-worse'],
    ['a merge group', { kind: 'merge-group', isLaunch: false }, 'if-own-change-worse'],
    ['a run by hand', { kind: 'dispatch', isLaunch: false }, 'if-own-change-worse'],
  ] as const)('%s', (_name, trigger, rule) => {
    expect(creepRuleFor(trigger)).toBe(rule);
  });
});

it('becomes a row of a verdict', () => {
  const row = judgeCreepChain({ metric: P50, chain: chain(10, 0.01, 0.002), own: null, creepMargin: 0.05 });
  expect(rowSchema.parse(creepRowOf('c', 'latency.p50', row))).toMatchObject({
    case: 'c',
    comparison: 'creep',
    limit: null,
  });
});
