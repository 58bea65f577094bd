import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalUnit, parseQuantity, UNIT_NAMES } from '../../src/metrics/units.ts';

describe('a quantity', () => {
  it.each([
    ['12 ms', 12, 'ms'],
    ['1.1 us', 0.0011, 'ms'],
    ['990 ns', 0.00099, 'ms'],
    ['2s', 2000, 'ms'],
    ['16 MiB', 16 * 2 ** 20, 'B'],
    ['1 GB', 1e9, 'B'],
    ['3%', 0.03, 'ratio'],
    ['0.5 ratio', 0.5, 'ratio'],
    ['7960 1/s', 7960, '1/s'],
    ['42', 42, 'count'],
    ['-1e3 ms', -1000, 'ms'],
  ])('%s is %d in %s', (text, value, unit) => {
    const quantity = parseQuantity(text);
    expect(quantity?.value).toBeCloseTo(value, 12);
    expect(quantity?.unit).toBe(unit);
  });

  it.each([
    ['1,234.5'],
    ['1.234,5 ms'],
    ['12 parsecs'],
    ['ms'],
    [''],
    ['NaN ms'],
    ['1e999'],
    ['Infinity ms'],
    ['12 constructor'],
  ])('is never guessed from %s', (text) => {
    expect(parseQuantity(text)).toBeNull();
  });

  it('keeps its value through any unit and back', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...UNIT_NAMES.filter((name) => name !== 'percent')),
        fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
        (unit, value) => {
          const read = parseQuantity(`${value} ${unit}`);
          const factor = canonicalUnit(unit)?.factor ?? Number.NaN;
          expect((read?.value ?? Number.NaN) / factor).toBeCloseTo(value, 6);
        },
      ),
    );
  });
});
