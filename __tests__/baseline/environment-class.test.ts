import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  CLASS_FACTS,
  describeFactDifferences,
  effectOfFact,
  environmentClass,
} from '../../src/baseline/environment-class.ts';

const L4 = {
  'cpu.model': 'AMD EPYC 7R13',
  'cpu.granted': 8,
  'gpu.name': 'NVIDIA L4',
  'gpu.count': 1,
  'gpu.memoryGiB': 22.49,
  'mig.profile': null,
  'power.limitW': 72,
  'driver.major': 580,
};

describe('environment class', () => {
  it('is the first 12 hex of SHA-256 over the sorted lines of the class facts that are known', () => {
    const lines = [
      'cpu.granted=8',
      'cpu.model=AMD EPYC 7R13',
      'driver.major=580',
      'gpu.count=1',
      'gpu.memoryGiB=22',
      'gpu.name=NVIDIA L4',
      'power.limitW=70',
    ];
    const expected = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
    expect(environmentClass(L4)).toBe(expected);
    expect(environmentClass(L4, 'cpu')).not.toBe(expected);
  });

  it.each([
    ['another power limit within 5 W', { 'power.limitW': 71.2 }, true],
    ['another power limit', { 'power.limitW': 60 }, false],
    ['memory rounded alike', { 'gpu.memoryGiB': 22.1 }, true],
    ['another card', { 'gpu.name': 'NVIDIA L40S' }, false],
    ['a slice', { 'mig.profile': '1g.10gb' }, false],
    ['another driver branch', { 'driver.major': 570 }, false],
    ['fewer cores', { 'cpu.granted': 4 }, false],
    ['another runner label', { 'runner.label': 'gpu-h100' }, true],
    ['another environment variable', { 'env.LD_PRELOAD': '/lib/x.so' }, true],
    ['another runtime, which belongs to the arm', { 'runtime.version': '1.31.0' }, true],
  ])('%s', (_name, change, isSame) => {
    expect(environmentClass({ ...L4, ...change }) === environmentClass(L4)).toBe(isSame);
  });

  it('names each difference with both values and what it means, the deciding ones first', () => {
    const other = {
      ...L4,
      'gpu.name': 'NVIDIA A10G',
      'env.CUDA_MODULE_LOADING': 'LAZY',
      'runner.label': 'x',
      'power.limitW': 71,
    };
    expect(describeFactDifferences(L4, other)).toEqual([
      'gpu.name: "NVIDIA L4" against "NVIDIA A10G" (another machine class, not comparable)',
      'env.CUDA_MODULE_LOADING: unknown against "LAZY" (may change speed)',
      'runner.label: unknown against "x" (recorded only)',
    ]);
  });

  it('differs exactly where a difference is said to make numbers incomparable', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.double({ noNaN: true }), fc.boolean(), fc.constant(null));
    const facts = fc.dictionary(fc.constantFrom(...CLASS_FACTS, 'env.X', 'host.id', 'constructor'), value);
    fc.assert(
      fc.property(facts, facts, (a, b) => {
        const says = describeFactDifferences(a, b).some((line) => line.includes('not comparable'));
        // Equal text of different types ("8" and 8) is one line of the hash.
        fc.pre(!says || CLASS_FACTS.some((name) => String(a[name] ?? '') !== String(b[name] ?? '')));
        if (!says) expect(environmentClass(a)).toBe(environmentClass(b));
      }),
    );
    expect(effectOfFact('gpu.name')).toBe('incomparable');
  });
});
