import { describe, expect, it } from '@jest/globals';
import { NO_FINDING } from '../../src/compare/row-finding.ts';
import { resolveRowRule } from '../../src/compare/row-rule.ts';
import type { Interval } from '../../src/compare/walsh.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { pairCases } from '../../src/verdict/case-pairs.ts';
import { powerReason } from '../../src/verdict/solo.ts';
import { fileText } from './measurement-text.ts';

const METRIC = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;

function reasonFor(alone: number, interval: Interval | null, margin: number | null, comparison: 'paired' | 'creep') {
  const entry = { solo: { base: [1], head: [alone] }, comparison };
  const [pair] = pairCases(null, parseMeasurement(fileText('head', { cases: [{ entry }] }), 'head.json'));
  if (!pair) throw new Error('the file has a case');
  const book = { config: { version: 1 as const }, manifest: null, today: null };
  const place = { model: pair.model, case: pair.caseId, metric: METRIC.id, unit: METRIC.unit };
  const rule = resolveRowRule(book, { ...place, comparison, provider: 'cuda' });
  return powerReason(pair, METRIC, rule, { ...NO_FINDING, decision: 'within', change: 0, interval, margin });
}

describe('how far a ratio alone may lie from the interval', () => {
  it.each<[string, number, Interval | null, number | null, boolean]>([
    ['inside', 1.005, [-0.01, 0.01], 0.04, false],
    ['above by under half the margin', 1.029, [-0.01, 0.01], 0.04, false],
    ['above by over half the margin', 1.031, [-0.01, 0.01], 0.04, true],
    ['below by under half the margin', 0.971, [-0.01, 0.01], 0.04, false],
    ['below by over half the margin', 0.969, [-0.01, 0.01], 0.04, true],
    ['far above an open upper end', 9, [-0.01, null], 0.04, false],
    ['far below an open lower end', 0.1, [null, 0.01], 0.04, false],
    ['above, with the lower end open', 1.031, [null, 0.01], 0.04, true],
    ['no interval', 9, null, 0.04, false],
    ['above by over half the default margin of 3 %', 1.016, [0, 0], null, true],
    ['above by under half the default margin of 3 %', 1.014, [0, 0], null, false],
  ])('%s', (_, alone, interval, margin, depends) => {
    const reason = reasonFor(alone, interval, margin, 'paired');
    expect(reason === null).toBe(!depends);
  });

  it('is not asked where head is compared with its anchor', () => {
    expect(reasonFor(9, [0, 0], 0.04, 'creep')).toBeNull();
  });
});
