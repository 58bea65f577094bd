import { describe, expect, it } from '@jest/globals';
import { LOADED_FIRST, LOADED_SECOND, withLoadOrder } from '../../src/measure/load-note.ts';
import type { RestartPair, RestartResult } from '../../src/measure/measurer.ts';

const restart = (valid: boolean) => ({ index: 0, valid, notes: ['seen'], values: {} });
const resultOf = (pair: RestartPair): RestartResult => ({ pairs: { a: pair }, notes: [], fault: null });

describe('which arm was started first', () => {
  it.each([
    ['head', LOADED_FIRST],
    ['base', LOADED_SECOND],
  ] as const)('is noted in head alone where %s was', (first, note) => {
    const { pairs } = withLoadOrder(resultOf({ base: restart(true), head: restart(true) }), first);
    expect(pairs['a']?.head.notes).toEqual(['seen', note]);
    expect(pairs['a']?.base?.notes).toEqual(['seen']);
  });

  it.each<[string, RestartPair]>([
    ['an invalid restart, whose notes are the reasons', { base: restart(false), head: restart(false) }],
    ['a new model, which runs alone', { base: null, head: restart(true) }],
  ])('is not noted in %s', (_, pair) => {
    expect(withLoadOrder(resultOf(pair), 'head')).toEqual(resultOf(pair));
  });
});
