import { describe, expect, it } from '@jest/globals';
import { judgeCase, restartsOf, rowOf } from './measurement-text.ts';

/** Nine restarts that all show the same ratio (the margin is 3 %), so that the interval is this one point, and runs of each arm alone. */
function judgeAlone(duet: number, base: readonly number[], head: readonly number[], gate?: false | 'advisory') {
  return judgeCase(
    { restarts: restartsOf('latency.p50', 1, 9) },
    { restarts: restartsOf('latency.p50', duet, 9), entry: { solo: { base, head } } },
    gate === undefined ? {} : { metrics: { 'latency.p50': { gate } } },
  );
}

const three = (value: number) => [value, value, value];

describe('a latency row on a card at its power limit', () => {
  it.each([
    ['no change, and none alone', 1, 1, 'pass'],
    ['no change, slower alone by under half the margin', 1, 1.014, 'pass'],
    ['no change, slower alone by over half the margin', 1, 1.016, 'inconclusive'],
    ['no change, faster alone by over half the margin', 1, 0.98, 'inconclusive'],
    ['slower, and as slow alone', 1.2, 1.21, 'regressed'],
    ['slower, and clearly less so alone', 1.2, 1.1, 'inconclusive'],
    ['faster, and as fast alone', 0.8, 0.8, 'improved'],
    ['faster, but not alone', 0.8, 1, 'inconclusive'],
  ])('%s', (_, duet, alone, status) => {
    expect(rowOf(judgeAlone(duet, three(1), three(alone)), 'latency.p50').status).toBe(status);
  });

  it('shows both figures and the way out, proves nothing, and blocks without failing', () => {
    const verdict = judgeAlone(1.2, three(1), three(1.1));
    const row = rowOf(verdict, 'latency.p50');
    expect(verdict.outcome).toBe('no-verdict');
    expect(row.reason).toMatch(/^depends on power: \+20 % taking turns, \+10 % alone; raise the card's power limit/);
    expect(row).toMatchObject({ proven: null, furtherRestarts: null });
    expect(row.change).toBeCloseTo(0.2, 6);
  });

  it('goes by the median run of each arm, however many count', () => {
    expect(judgeAlone(1, [1, 1, 9], [1.001, 1, 0.1]).outcome).toBe('pass');
    expect(judgeAlone(1, [1], [1.1, 1.1]).outcome).toBe('no-verdict');
  });

  it.each([
    ['advisory', 'advisory', 'pass'],
    ['reported', false, 'reported'],
  ] as const)('that is %s stays as it was', (_, gate, status) => {
    expect(rowOf(judgeAlone(1, three(1), three(2), gate), 'latency.p50').status).toBe(status);
  });
});

describe('runs alone', () => {
  const entry = { solo: { base: three(1), head: three(2) } };

  it('say nothing of other metrics', () => {
    const restarts = restartsOf('latency.p95', 1, 9);
    expect(rowOf(judgeCase({ restarts }, { restarts, entry }), 'latency.p95').status).toBe('pass');
  });

  it('cannot leave an interval that is still open at both ends', () => {
    const restarts = restartsOf('latency.p50', 1, 5);
    expect(rowOf(judgeCase({ restarts }, { restarts, entry }), 'latency.p50').reason).toMatch(/^too few restarts/);
  });

  it.each([
    ['no time', { base: [0], head: [1] }],
    ['no run', { base: [], head: [1] }],
    ['one arm', { head: [1] }],
  ])('of %s are refused', (_, solo) => {
    const restarts = restartsOf('latency.p50', 1, 9);
    expect(() => judgeCase({ restarts }, { restarts, entry: { solo } })).toThrow(/solo\.base/);
  });
});
