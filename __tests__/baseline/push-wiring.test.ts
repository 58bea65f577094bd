import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGateWorld, type GateWorld, publish, pullTrigger, pushTrigger } from './gate-world.ts';

let world: GateWorld;
beforeEach(() => {
  world = createGateWorld();
});
afterEach(() => world.remove());

describe('a push to the default branch', () => {
  it('stores what passed, and measures the next one against it', async () => {
    const first = world.commitModel(4);
    publish(world.repository);
    const stored = await world.gate({ trigger: pushTrigger(null) });
    expect(stored.verdict.outcome).toBe('pass');
    expect(stored.stored).toMatchObject({ written: { written: ['baselines/ranker/c1a55c1a55c1.json'] } });
    const second = world.commitModel(4.02);
    const next = await world.gate({ trigger: pushTrigger(first) });
    expect(next.verdict).toMatchObject({ outcome: 'pass', base: { commit: first }, head: { commit: second } });
    const [baseline] = await world.baselines();
    expect(baseline?.sessions.map(({ commit }) => commit)).toEqual([first, second]);
    expect(baseline?.sessions[1]?.metrics['latency.p50']?.reference).toHaveLength(6);
    expect(baseline?.sessions[1]?.metrics['latency.p50']?.ratioToPrevious?.log).toBeCloseTo(Math.log(1.005), 2);
  });

  it('fails on a regression however often it arrives, and never stores it (G16)', async () => {
    const good = world.commitModel(4);
    publish(world.repository);
    await world.gate({ trigger: pushTrigger(null) });
    const bad = world.commitModel(5.6);
    const once = await world.gate({ trigger: pushTrigger(good) });
    expect(once.verdict.outcome).toBe('fail');
    const unrelated = world.repository.commit({ 'README.md': 'words' });
    const twice = await world.gate({ trigger: pushTrigger(bad) });
    expect(twice.verdict).toMatchObject({ outcome: 'fail', base: { commit: good }, head: { commit: unrelated } });
    const [baseline] = await world.baselines();
    expect(baseline?.sessions.map(({ commit }) => commit)).toEqual([good]);
  });
});

describe('a base far from its own accepted sessions', () => {
  it('is warned about (N13)', async () => {
    let before: string | null = null;
    for (let number = 0; number < 3; number++) {
      const commit: string = world.commitModel(0.96);
      if (number === 0) publish(world.repository);
      await world.gate({ trigger: pushTrigger(before) });
      before = commit;
    }
    const head = world.commitModel(0.96);
    const result = await world.gate({ trigger: pullTrigger(head, before ?? ''), script: { machine: 8 } });
    expect(result.verdict.outcome).toBe('pass');
    expect(result.verdict.notes.map(({ text }) => text).join()).toMatch(
      /baseline implausible: base shows latency.p50 7\.\d+ on ranker\/cpu\/b1\/c1, its 3 accepted sessions 0\.96/,
    );
  }, 30_000);
});

describe('a pull request', () => {
  it('reads what is accepted and never writes', async () => {
    const first = world.commitModel(4);
    publish(world.repository);
    await world.gate({ trigger: pushTrigger(null) });
    const head = world.commitModel(4.01);
    const result = await world.gate({ trigger: pullTrigger(head, first) });
    expect(result).toMatchObject({ verdict: { outcome: 'pass' }, stored: { written: null } });
    const [baseline] = await world.baselines();
    expect(baseline?.sessions.map(({ commit }) => commit)).toEqual([first]);
  });
});
