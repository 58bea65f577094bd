import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shuffle, tossCoin } from '../../src/measure/coin.ts';
import { caseOrder, loadOrder, memoryCaseOf, planRounds } from '../../src/measure/duet.ts';

const seeds = Array.from({ length: 400 }, (_, i) => `seed ${i}`);

describe('turns of a restart', () => {
  it('give each arm two turns a round, mirrored, so that a linear drift cancels', () => {
    for (const round of planRounds('s', 3, 'a/cpu/b1/c1', 50)) {
      expect(round.filter((arm) => arm === 'base')).toHaveLength(2);
      expect(round[0]).toBe(round[3]);
      expect(round[1]).toBe(round[2]);
    }
  });

  it('begin with either arm about equally often', () => {
    const first = planRounds('s', 0, 'm', 2000).filter(([arm]) => arm === 'base').length;
    expect(first).toBeGreaterThan(900);
    expect(first).toBeLessThan(1100);
  });

  it('are the same on every machine and differ by restart, case and seed', () => {
    const plan = (seed: string, restart: number, id: string) => JSON.stringify(planRounds(seed, restart, id, 20));
    expect(plan('s', 1, 'm')).toBe(plan('s', 1, 'm'));
    expect(new Set([plan('s', 1, 'm'), plan('s', 2, 'm'), plan('t', 1, 'm'), plan('s', 1, 'n')]).size).toBe(4);
  });
});

describe('order of starts', () => {
  it('is balanced in every pair of restarts, whatever the seed', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(40), (seed, group, pair) => {
        const [first] = loadOrder(seed, group, 2 * pair);
        const [second] = loadOrder(seed, group, 2 * pair + 1);
        return first !== second;
      }),
    );
  });

  it('begins with base for about half of the seeds', () => {
    const baseFirst = seeds.filter((seed) => loadOrder(seed, 'g', 0)[0] === 'base').length;
    expect(baseFirst).toBeGreaterThan(150);
    expect(baseFirst).toBeLessThan(250);
  });
});

describe('order of cases that share a restart', () => {
  const ids = ['b1', 'b8', 'b32', 'b64'];

  it('holds every case once, the one whose memory is read first', () => {
    for (const seed of seeds.slice(0, 50)) {
      const order = caseOrder(seed, 'g', 3, ids, 'b64');
      expect([...order].sort()).toEqual([...ids].sort());
      expect(order[0]).toBe('b64');
    }
  });

  it('varies the others from restart to restart', () => {
    const orders = [0, 1, 2, 3, 4, 5].map((restart) => caseOrder('s', 'g', restart, ids, 'b64').join(' '));
    expect(new Set(orders).size).toBeGreaterThan(1);
  });

  it('goes on with the cases that are left', () => {
    expect(caseOrder('s', 'g', 7, ['b8'], 'b64')).toEqual(['b8']);
  });

  it('reads memory in the largest batch', () => {
    const cases = [1, 32, 8].map((batch) => ({ id: `b${batch}`, batch, feeds: [], workload: '' }));
    expect(memoryCaseOf(cases)).toBe('b32');
  });
});

describe('seeded choices', () => {
  it('shuffle without losing or adding', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.string(), (items, seed) => {
        expect([...shuffle(items, seed, 'x')].sort()).toEqual([...items].sort());
      }),
    );
  });

  it('toss a fair coin', () => {
    const heads = seeds.filter((seed) => tossCoin(seed, 'x') === 'heads').length;
    expect(heads).toBeGreaterThan(150);
    expect(heads).toBeLessThan(250);
  });
});
