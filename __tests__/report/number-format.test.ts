import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { durationText } from '../../src/report/duration-text.ts';
import {
  formatChange,
  formatInterval,
  formatLimit,
  formatNumber,
  formatPair,
  formatQuantity,
  formatShare,
} from '../../src/report/number-format.ts';

describe('figures with units', () => {
  it.each([
    [4.02, 'ms', '4.02 ms'],
    [4, 'ms', '4.00 ms'],
    [0.163, 'ms', '163 us'],
    [0.0009997, 'ms', '1.00 us'],
    [0.00099, 'ms', '990 ns'],
    [0.0011, 'ms', '1.10 us'],
    [0.9997, 'ms', '1.00 ms'],
    [12_345, 'ms', '12.3 s'],
    [0, 'ms', '0 ms'],
    [-0.002, 'ms', '−2.00 us'],
    [1.21 * 2 ** 30, 'B', '1.21 GiB'],
    [1023 * 1024, 'B', '1,023 KiB'],
    [512, 'B', '512 B'],
    [0, 'B', '0 B'],
    [7960, '1/s', '7,960 /s'],
    [1_234_567, '1/s', '1,234,567 /s'],
    [0.983, 'ratio', '0.983'],
    [1, 'ratio', '1'],
    [1.2e-7, 'ratio', '1.20e−7'],
    [3, 'count', '3'],
    [0.0021, 'J', '2.10 mJ'],
    [70, 'W', '70.0 W'],
    [0.0123, 'usd', '0.0123 USD'],
    [5, 'furlong', '5.00 furlong'],
    [5, '__proto__', '5.00 __proto__'],
    [null, 'ms', 'n/a'],
    [Number.NaN, 'ms', 'n/a'],
  ])('writes %p %s as %s', (value, unit, text) => {
    expect(formatQuantity(value, unit)).toBe(text);
  });

  it('names a shared unit once and different units both', () => {
    expect(formatPair(4.02, 4.35, 'ms')).toBe('4.02 → 4.35 ms');
    expect(formatPair(0.99, 1.1, 'ms')).toBe('990 us → 1.10 ms');
    expect(formatPair(null, 4.35, 'ms')).toBe('n/a → 4.35 ms');
    expect(formatPair(2, 3, 'count')).toBe('2 → 3');
  });

  it.each([
    [12, 'ms', '12 ms'],
    [12.5, 'ms', '12.5 ms'],
    [100, 'ms', '100 ms'],
    [16 * 2 ** 20, 'B', '16 MiB'],
  ])('writes the limit %p %s as %s', (value, unit, text) => {
    expect(formatLimit(value, unit)).toBe(text);
  });

  it('groups thousands whatever the locale', () => {
    expect(formatNumber(-1234567)).toBe('−1,234,567');
  });
});

describe('changes', () => {
  it.each([
    [0.081, '+8.1 %'],
    [-0.074, '−7.4 %'],
    [0, '0 %'],
    [0.0004, '+0.04 %'],
    [-0.000004, '−<0.001 %'],
    [12.3456, '+1,235 %'],
    [0.99949, '+99.9 %'],
    [0.9999, '+100 %'],
    [null, 'n/a'],
  ])('writes %p as %s', (fraction, text) => {
    expect(formatChange(fraction)).toBe(text);
  });

  it('never loses or turns the sign', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }), (fraction) => {
        const sign = fraction > 0 ? '+' : fraction < 0 ? '−' : '0';
        // Below the smallest double the percentage itself is zero.
        fc.pre(fraction * 100 !== 0 || fraction === 0);
        expect(formatChange(fraction).startsWith(sign)).toBe(true);
      }),
    );
  });

  it('stays within a twentieth of a percent or one digit of the value', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, min: -0.9, max: 0.9 }), (fraction) => {
        const text = formatChange(fraction);
        fc.pre(!text.includes('<'));
        const read = Number(text.replace('−', '-').replace(' %', ''));
        expect(Math.abs(read - fraction * 100)).toBeLessThanOrEqual(0.0501);
      }),
    );
  });

  it.each([
    [[0.069, 0.093], '+6.9 … +9.3'],
    [[-0.085, -0.062], '−8.5 … −6.2'],
    [[null, 0.012], 'at most +1.2 %'],
    [[0.069, null], 'at least +6.9 %'],
    [[null, null], ''],
    [null, ''],
  ] as const)('writes the interval %p as %p', (interval, text) => {
    expect(formatInterval(interval)).toBe(text);
  });

  it.each([
    [0.03, '3 %'],
    [0.025, '2.5 %'],
    [0, '0 %'],
    [1, '100 %'],
    [null, 'n/a'],
  ])('writes the share %p as %s', (fraction, text) => {
    expect(formatShare(fraction)).toBe(text);
  });
});

describe('durations', () => {
  it.each([
    [0.85, '850 ms'],
    [12.4, '12 s'],
    [59.6, '1 min'],
    [161, '2 min 41 s'],
    [3599.9, '1 h'],
    [3900, '1 h 5 min'],
    [-1, 'n/a'],
  ])('writes %p s as %s', (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });
});
