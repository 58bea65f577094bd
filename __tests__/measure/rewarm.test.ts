import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fitDiscard } from '../../src/measure/rewarm.ts';

const turns = (shape: readonly number[], count = 20) => Array.from({ length: count }, () => [...shape]);
const flat = Array<number>(40).fill(10);
/** The memory-bound model that taught the rule: microseconds by position in a turn. */
const memoryBound = [848, 534, 391, 348, 334, ...Array<number>(35).fill(331)];

describe('what is dropped from a turn', () => {
  it.each([
    ['a model that is warm at once: the least', [flat, flat], 2, false],
    ['a memory-bound model: until within 2 % of the last half', [memoryBound], 4, false],
    ['the larger of both arms', [flat, memoryBound], 4, false],
    ['half of a turn that never settles', [Array.from({ length: 20 }, (_, i) => 100 - 4 * i)], 10, true],
  ])('%s', (_, shapes, iterations, tooShort) => {
    expect(fitDiscard(shapes.map((shape) => turns(shape)))).toEqual({ iterations, tooShort });
  });

  it('looks at medians, so one slow turn does not matter', () => {
    const spiked = [...turns(flat, 19), flat.map((ms) => 5 * ms)];
    expect(fitDiscard([spiked]).iterations).toBe(2);
  });

  it('is at least 2, at most half of a turn, whatever the times', () => {
    const turn = fc.array(fc.double({ min: 0.001, max: 1000, noNaN: true }), { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 12 }), (arm) => {
        const { iterations } = fitDiscard([arm]);
        expect(iterations).toBeGreaterThanOrEqual(2);
        expect(iterations).toBeLessThanOrEqual(10);
      }),
    );
  });
});
