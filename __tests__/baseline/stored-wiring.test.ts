import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CaseGroup } from '../../src/plan/plan.ts';
import type { Repository } from '../fakes/git-repository.ts';
import {
  CONFIG,
  createGateWorld,
  type GateRun,
  type GateWorld,
  publish,
  pullTrigger,
  pushTrigger,
} from './gate-world.ts';

const MACHINES = [1, 1.15, 0.93, 1.07, 0.9, 1.12];

/** Twelve accepted sessions of a model that always took 4 ms, on days that differ by 15 %. */
async function acceptSessions(world: GateWorld, count: number): Promise<void> {
  let before: string | null = null;
  for (let number = 0; number < count; number++) {
    const commit: string = world.commitModel(4);
    if (number === 0) publish(world.repository);
    const machine = MACHINES[number % MACHINES.length] ?? 1;
    const { verdict } = await world.gate({ trigger: pushTrigger(before), script: { machine } });
    expect(verdict.outcome).toBe('pass');
    before = commit;
  }
}

/** A pull request that brings the model back into a history that lacks it. */
async function bringBack(world: GateWorld, at: Repository, latencyMs: number, run: Partial<GateRun> = {}) {
  at.git('checkout', '--quiet', '--detach', 'origin/main');
  const base = at.git('rev-parse', 'HEAD');
  const head = world.commitModel(latencyMs, {}, at);
  return world.gate({ trigger: pullTrigger(head, base), at, script: { machine: 1.3 }, ...run });
}

describe('a base that can’t be run, with 12 accepted sessions', () => {
  let world: GateWorld;
  let rewritten: Repository;
  beforeAll(async () => {
    world = createGateWorld();
    await acceptSessions(world, 12);
    rewritten = world.rewrite({ '.github/model-gate.yml': CONFIG });
  }, 120_000);
  afterAll(() => world.remove());

  it('is replaced by stored sessions where no accepted commit is left, and the report says so', async () => {
    const result = await bringBack(world, rewritten, 4);
    expect(result.verdict.outcome).toBe('pass');
    expect(result.verdict.rows).toMatchObject([
      { comparison: 'stored', role: 'gated', status: 'pass', reason: expect.stringContaining('12 stored sessions') },
    ]);
    expect(result.verdict.notes.find(({ headline }) => headline)?.text).toContain(
      'head is compared with stored sessions',
    );
    expect(result.asked.prepared).toEqual(['ranker/cpu']);
  });

  it('may be one that turns out not to run', async () => {
    rewritten.git('checkout', '--quiet', '--detach', 'origin/main');
    const base = world.commitModel(4, {}, rewritten);
    const head = world.commitModel(4, {}, rewritten);
    const broken = (group: CaseGroup, arm: string) => (group.base && arm === 'base' ? 'no such operator' : null);
    const result = await world.gate({
      trigger: pullTrigger(head, base),
      at: rewritten,
      script: { machine: 1.3, broken },
    });
    expect(result.verdict.outcome).toBe('pass');
    expect(result.verdict.rows).toMatchObject([{ comparison: 'stored', role: 'gated', status: 'pass' }]);
    expect(result.verdict.rows).toHaveLength(1);
    expect(result.verdict.notes.find(({ code }) => code === 'stored-comparison')?.text).toContain('no such operator');
  });

  it('turns red only when a second session confirms it', async () => {
    const result = await bringBack(world, rewritten, 4.6);
    expect(result.asked.prepared).toEqual(['ranker/cpu', 'ranker/cpu']);
    expect(result.verdict.outcome).toBe('fail');
    expect(result.verdict.rows).toMatchObject([{ comparison: 'stored', status: 'regressed', restarts: 12 }]);
    expect(result.verdict.rows[0]?.reason).toContain('in 2 sessions');
  });

  it('names the fact in which the machines differ (Z7)', async () => {
    const result = await bringBack(world, rewritten, 4, { class: 'other', cpu: 'Other CPU' });
    expect(result.verdict.outcome).toBe('no-verdict');
    expect(result.verdict.rows).toMatchObject([{ comparison: 'paired', status: 'no-baseline' }]);
    expect(result.verdict.rows[0]?.reason).toContain('cpu.model: "Test CPU" against "Other CPU"');
  });

  it('warns that they are old, with their age', async () => {
    const result = await bringBack(world, rewritten, 4, { nowMs: Date.UTC(2027, 1, 1) });
    expect(result.verdict.notes.map(({ text }) => text).join('\n')).toMatch(/6\d days old \(allowed 30\)/);
  });

  it('is never stored from a pull request', async () => {
    const before = JSON.stringify(await world.baselines());
    await bringBack(world, rewritten, 4);
    expect(JSON.stringify(await world.baselines())).toBe(before);
  });
});

describe('a base that can’t be run, with its accepted commit in git', () => {
  it('is replaced by the accepted model, run beside head, whatever the machine', async () => {
    const world = createGateWorld();
    try {
      await acceptSessions(world, 2);
      world.repository.git('push', '--quiet', 'origin', 'HEAD:refs/heads/kept');
      const at = world.rewrite({ '.github/model-gate.yml': CONFIG });
      const result = await bringBack(world, at, 4.6);
      expect(result.verdict.outcome).toBe('fail');
      expect(result.verdict.rows).toMatchObject([{ comparison: 'paired', status: 'regressed' }]);
      expect(result.verdict.notes.find(({ headline }) => headline)?.text).toMatch(
        /head is compared with the model accepted on 2026-12-01 \(commit [0-9a-f]{7}\), which was run beside it/,
      );
      const elsewhere = await bringBack(world, at, 4, { class: 'other', cpu: 'Other CPU' });
      expect(elsewhere.verdict.outcome).toBe('pass');
    } finally {
      world.remove();
    }
  }, 60_000);
});

describe('a base whose `prepare` fails', () => {
  it('is replaced by the accepted model, built from its own commit', async () => {
    const built = (command: string) => `version: 1
models:
  - {id: ranker, prepare: "${command} {output}", watch: [models/**], providers: [cpu], inputs: {x: {dims: [batch, 4], fill: normal}}}
baseline: {store: branch}
`;
    const world = createGateWorld(built('cp models/ranker.onnx'));
    try {
      await acceptSessions(world, 1);
      const base = world.repository.commit({ '.github/model-gate.yml': built('cp models/absent.onnx') }, 'broken');
      const head = world.commitModel(4.6);
      const result = await world.gate({ trigger: pullTrigger(head, base) });
      expect(result.verdict.rows).toMatchObject([{ comparison: 'paired', status: 'regressed' }]);
      expect(result.verdict.notes.find(({ code }) => code === 'accepted-base')?.text).toMatch(
        /base can't be run \(`prepare` of ranker in base .*\): head is compared/,
      );
    } finally {
      world.remove();
    }
  }, 60_000);
});

describe('too few stored sessions', () => {
  it('are shown and decide nothing', async () => {
    const world = createGateWorld();
    try {
      await acceptSessions(world, 3);
      const at = world.rewrite({ '.github/model-gate.yml': CONFIG });
      const result = await bringBack(world, at, 4);
      expect(result.verdict.outcome).toBe('no-verdict');
      expect(result.verdict.rows).toMatchObject([
        { comparison: 'stored', role: 'advisory', status: 'no-baseline' },
        { comparison: 'paired', role: 'gated', status: 'no-baseline' },
      ]);
    } finally {
      world.remove();
    }
  }, 60_000);
});
