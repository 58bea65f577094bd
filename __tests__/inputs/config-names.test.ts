import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { modelIdOf, modelIdOfFile } from '../../src/inputs/model-id.ts';
import { suggestName } from '../../src/inputs/suggestion.ts';

describe('ids made from paths', () => {
  it.each([
    ['models/ranker.onnx', 'models--ranker'],
    ['ranker.onnx', 'ranker'],
    ['a/b.v2/det-small.onnx', 'a--b.v2--det-small'],
  ])('%s is %s', (path, id) => {
    expect(modelIdOf(path)).toBe(id);
  });

  it.each([
    ['feat/a:b.onnx', 'feat/a_b.onnx'],
    ['feat/a-b.onnx', 'feat-a-b.onnx'],
    ['a--b.onnx', 'a/b.onnx'],
    ['org/name.onnx', 'org--name.onnx'],
    ['a/-b.onnx', 'a-/b.onnx'],
    ['a b.onnx', 'a_b.onnx'],
    ['ä.onnx', 'ö.onnx'],
    [`${'x'.repeat(200)}1.onnx`, `${'x'.repeat(200)}2.onnx`],
  ])('tells %s from %s', (one, other) => {
    expect(modelIdOf(one)).not.toBe(modelIdOf(other));
  });

  it('are safe file names and never shared', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', '-', '--', '/', '.', '_', ':', '..', ' ', '0123456789ab'))
      .map((parts) => `${parts.join('')}.onnx`);
    fc.assert(
      fc.property(path, path, (one, other) => {
        expect(modelIdOf(one)).toMatch(/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/);
        expect(modelIdOf(one) === modelIdOf(other)).toBe(one === other);
      }),
      { numRuns: 5000 },
    );
  });

  it('of a file in the config are its base name', () => {
    expect(modelIdOfFile('deep/down/ranker.onnx')).toBe('ranker');
  });
});

describe('suggestions', () => {
  const names = ['batches', 'base', 'watch', 'prepare'];
  it.each([
    ['bacthes', 'batches'],
    ['Watch', 'watch'],
    ['prepar', 'prepare'],
    ['colour', null],
    ['x'.repeat(1e6), null],
  ])('for %.20s: %s', (word, expected) => {
    expect(suggestName(word, names)).toBe(expected);
  });
});
