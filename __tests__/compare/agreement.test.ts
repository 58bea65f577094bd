import { describe, expect, it } from '@jest/globals';
import { describeAgreement } from '../../src/compare/agreement.ts';
import type { ValidPair } from '../../src/compare/pairing.ts';
import { LOADED_FIRST, LOADED_SECOND } from '../../src/measure/load-note.ts';

const P50 = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;

/** Restarts in which head takes `1 + share` of base, started first in every other. */
function pairsOf(shares: readonly number[], base: (index: number) => number = () => 10): ValidPair[] {
  return shares.map((share, index) => {
    const restart = (value: number, note: string) => ({
      index,
      valid: true,
      notes: [note],
      values: { 'latency.p50': value },
    });
    const [own, other] = index % 2 === 0 ? [LOADED_FIRST, LOADED_SECOND] : [LOADED_SECOND, LOADED_FIRST];
    return { base: restart(base(index), other), head: restart(base(index) * (1 + share), own) };
  });
}

const NOISE = [0.004, -0.006, 0.002, 0.007, -0.003, -0.005, 0.001, 0.0005];

describe('two copies of one model', () => {
  it('that differ by noise alone show its spread and no bias', () => {
    const found = describeAgreement(pairsOf(NOISE), P50, 0.03);
    expect(found).toMatchObject({ restarts: 8, base: 10, isBiased: false, modes: null });
    expect(found?.difference).toBeCloseTo(0, 3);
    expect(found?.spread).toBeCloseTo(0.0045, 3);
  });

  it('that always differ one way are a biased machine', () => {
    const biased = pairsOf(NOISE.map((share) => share / 10 + 0.01));
    expect(describeAgreement(biased, P50, 0.03)).toMatchObject({ isBiased: true });
  });

  it('can prove less where they spread more, and ever smaller changes with more restarts', () => {
    const quiet = describeAgreement(pairsOf(NOISE), P50, 0.03)?.provable ?? [];
    const loud = describeAgreement(pairsOf(NOISE.map((share) => share * 5)), P50, 0.03)?.provable ?? [];
    expect(quiet.map(({ restarts }) => restarts)).toEqual([6, 13, 41]);
    for (const [i, { change }] of quiet.entries()) {
      expect(change).toBeGreaterThan(0.03);
      expect(loud[i]?.change).toBeGreaterThan(change ?? Number.NaN);
      expect(change).toBeLessThan(quiet[i - 1]?.change ?? Number.POSITIVE_INFINITY);
    }
  });

  it('show what is started first by itself', () => {
    const shares = NOISE.map((share, i) => share / 10 + (i % 2 === 0 ? 0.02 : 0));
    const found = describeAgreement(pairsOf(shares), P50, 0.03);
    expect(found?.byOrder?.first).toBeCloseTo(0.02, 3);
    expect(found?.byOrder?.second).toBeCloseTo(0, 3);
  });

  it('show the two speeds that processes come in', () => {
    const pairs = pairsOf(
      NOISE.map((share) => share / 10),
      (index) => (index < 4 ? 10 : 11),
    );
    expect(describeAgreement(pairs, P50, 0.03)?.modes).toBeCloseTo(0.1, 2);
  });

  it.each([
    ['one restart', pairsOf([0.01])],
    ['no time at all', pairsOf(NOISE, () => 0)],
  ])('say nothing from %s', (_, pairs) => {
    expect(describeAgreement(pairs, P50, 0.03)).toBeNull();
  });
});
