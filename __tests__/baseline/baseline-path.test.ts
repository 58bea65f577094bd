import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { baselinePath, encodeName } from '../../src/baseline/baseline-path.ts';

describe('path of a baseline', () => {
  it.each([
    ['ranker', 'ranker'],
    ['ResNet50.v1-b_2', 'ResNet50.v1-b_2'],
    ['feat/a:b', 'feat%2Fa%3Ab'],
    ['org/name', 'org%2Fname'],
    ['feat%2Fa', 'feat%252Fa'],
    ['..', '%2E%2E'],
    ['.', '%2E'],
    ['.hidden', '%2Ehidden'],
    ['é', '%C3%A9'],
    ['a\nb', 'a%0Ab'],
    ['@reference', '%40reference'],
  ])('writes %j as %s', (text, name) => {
    expect(encodeName(text)).toBe(name);
  });

  it('never gives two names one path, nor a path outside the folder', () => {
    const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(name, name, (a, b) => {
        fc.pre(a !== b);
        expect(encodeName(a)).not.toBe(encodeName(b));
        expect(baselinePath({ model: a, class: b })).toMatch(/^baselines\/[^/]{1,200}\/[^/]{1,200}\.json$/);
        expect(baselinePath({ model: a, class: b }).split('/')).not.toContain('..');
      }),
    );
  });

  it('keeps long names apart that share their beginning', () => {
    const long = 'm'.repeat(400);
    expect(encodeName(`${long}a`)).not.toBe(encodeName(`${long}b`));
    expect(encodeName(`${long}a`).length).toBeLessThan(200);
  });
});
