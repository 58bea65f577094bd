import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { median } from 'simple-statistics';
import {
  BRANCH,
  CONFIG,
  createGateWorld,
  type GateOutcome,
  type GateWorld,
  publish,
  pullTrigger,
  pushTrigger,
} from './gate-world.ts';

let world: GateWorld;
beforeEach(() => {
  world = createGateWorld();
});
afterEach(() => world.remove());

/** Sessions of an honest fleet differ by 15 %. */
const MACHINES = [1, 1.15, 0.93, 1.07, 0.9, 1.12, 1, 1.04];
const creepRows = ({ verdict }: GateOutcome) => verdict.rows.filter((row) => row.comparison === 'creep');

/** Pushes steps of the given size until one fails; the step's number, counted from 1. */
async function stepUntilFail(step: number, most: number, seed: number): Promise<number | null> {
  let before: string | null = null;
  for (let number = 0; number <= most; number++) {
    const commit: string = world.commitModel(4 * (1 + step) ** number);
    if (number === 0 && seed === 0) publish(world.repository);
    const script = { machine: MACHINES[number % MACHINES.length] ?? 1, spread: 0.01, seed: 100 * seed + number };
    const { verdict, asked } = await world.gate({ trigger: pushTrigger(before), script });
    before = commit;
    if (verdict.outcome === 'fail') {
      expect(verdict.rows.find((row) => row.status === 'regressed')?.comparison).toBe('creep');
      expect(asked.prepared.at(-1)).toMatch(/^ranker\/cpu\/creep/);
      return number;
    }
  }
  return null;
}

describe('creep', () => {
  it('fails ten accepted steps of 1 % at the sixth or seventh in the median, as head against anchor', async () => {
    const steps: number[] = [];
    for (const seed of [0, 1, 2]) {
      steps.push((await stepUntilFail(0.01, 10, seed)) ?? Number.POSITIVE_INFINITY);
      world.repository.git('push', '--quiet', 'origin', `:refs/heads/${BRANCH}`);
    }
    expect([6, 7]).toContain(median(steps));
  }, 120_000);

  it('lets eight changes of nothing pass without ever asking for the anchor', async () => {
    let before: string | null = null;
    for (let number = 0; number < 8; number++) {
      const commit = world.commitModel(4);
      if (number === 0) publish(world.repository);
      const result: GateOutcome = await world.gate({
        trigger: pushTrigger(before),
        script: { machine: MACHINES[number % MACHINES.length] ?? 1, spread: 0.004 },
      });
      expect(result.verdict.outcome).toBe('pass');
      expect(creepRows(result)).toEqual([]);
      before = commit;
    }
  }, 60_000);
});

describe('after the line was crossed', () => {
  /** Five accepted steps of 1.2 %: 6.1 % since the anchor, which nobody judged on the way. */
  async function cross(config = CONFIG): Promise<string> {
    const loose = config.replace('baseline: {', 'baseline: {creep-margin: 50%, ');
    let before: string | null = null;
    for (let number = 0; number <= 5; number++) {
      const commit: string = world.commitModel(4 * 1.012 ** number, { '.github/model-gate.yml': loose });
      if (number === 0) publish(world.repository);
      expect((await world.gate({ trigger: pushTrigger(before) })).verdict.outcome).toBe('pass');
      before = commit;
    }
    return world.repository.commit({ '.github/model-gate.yml': config }, 'back to the usual margin');
  }

  it('an innocent pull request gets a note, not a red', async () => {
    const base = await cross();
    const head = world.commitModel(4 * 1.012 ** 5);
    const result = await world.gate({ trigger: pullTrigger(head, base) });
    expect(result.verdict.outcome).toBe('pass');
    expect(creepRows(result)).toMatchObject([{ role: 'advisory', status: 'regressed', proven: 'worse' }]);
    expect(result.reports.summary).toContain('is not blamed');
  }, 60_000);

  it('a pull request that is slower itself is red, and so is any push', async () => {
    const base = await cross();
    const head = world.commitModel(4 * 1.012 ** 5 * 1.015);
    const pull = await world.gate({ trigger: pullTrigger(head, base) });
    expect(pull.verdict.outcome).toBe('fail');
    expect(creepRows(pull)).toMatchObject([{ role: 'gated', status: 'regressed' }]);
    const push = await world.gate({ trigger: pushTrigger(base) });
    expect(push.verdict.outcome).toBe('fail');
  }, 60_000);

  it('the chain decides where the anchor does not run', async () => {
    const base = await cross();
    const head = world.commitModel(4 * 1.012 ** 5 * 1.015);
    const result = await world.gate({
      trigger: pullTrigger(head, base),
      script: { broken: (group, arm) => (group.comparison === 'creep' && arm === 'base' ? 'no such operator' : null) },
    });
    expect(creepRows(result)).toMatchObject([{ status: 'regressed', restarts: 0 }]);
    expect(creepRows(result)[0]?.reason).toContain('by their chain');
    expect(result.verdict.notes.map(({ text }) => text).join()).toContain('creep is judged by the chain');
  }, 60_000);
});
