import { describe, expect, it } from '@jest/globals';
import { tableModel } from '../../src/report/table-model.ts';
import type { Row, Verdict } from '../../src/verdict/verdict.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';

const row = (overrides: Partial<Row>): Row => buildRow(overrides);
const headline = (rows: readonly Row[], overrides: Partial<Verdict> = {}): string =>
  tableModel(buildVerdict(rows, overrides)).headline;
const headlineNote = (text: string, code = 'x') => ({ code, text, headline: true });

describe('headline', () => {
  it.each<[string, readonly Row[], Partial<Verdict>]>([
    ['1 check within its margin', [row({})], {}],
    ['2 checks within their margins', [row({}), row({ metric: 'latency.p95' })], {}],
    ['2 checks unchanged', [row({ status: 'unchanged' }), row({ status: 'unchanged' })], {}],
    [
      '1 check within its margin, 1 improved, 1 waived',
      [row({}), row({ status: 'improved' }), row({ status: 'waived' })],
      {},
    ],
    ['1 check within its margin, 1 not decided', [row({}), row({ status: 'inconclusive' })], {}],
    ['1 new model, nothing to compare yet', [row({ status: 'new' }), row({ status: 'new', metric: 'throughput' })], {}],
    [
      '2 new models, nothing to compare yet',
      [row({ status: 'new' }), row({ status: 'new', case: 'tagger/cpu/b1/c1' })],
      {},
    ],
    ['1 check within its margin, 1 new model', [row({}), row({ status: 'new', case: 'tagger/cpu/b1/c1' })], {}],
    ['no model changed', [], {}],
    ['nothing to compare', [row({ role: 'reported', status: 'reported' })], {}],
    [
      'not measured: these files may change speed: Dockerfile',
      [],
      {
        notes: [
          headlineNote('base policy'),
          headlineNote('not measured: these files may change speed: Dockerfile', 'speed-files'),
        ],
      },
    ],
    [
      'pass under the policy changed here (1 check within its margin)',
      [row({})],
      { notes: [headlineNote('under the old policy: 1 regression', 'pass-under-changed-policy')] },
    ],
    ['1 regression in 2 checks', [row({ status: 'regressed' }), row({})], { outcome: 'fail' }],
    [
      '1 case does not run and 1 regression in 3 checks',
      [row({ status: 'regressed' }), row({}), row({ status: 'regressed', metric: 'run' })],
      { outcome: 'fail' },
    ],
    ['1 case does not run', [row({ status: 'regressed', metric: 'run' })], { outcome: 'fail' }],
    ['1 regression in 1 check', [row({ status: 'regressed' }), row({ role: 'advisory' })], { outcome: 'fail' }],
    [
      'no verdict, 1 of 2 checks could not be decided',
      [row({}), row({ status: 'inconclusive' })],
      { outcome: 'no-verdict' },
    ],
    [
      'no verdict, 1 of 2 checks could not be decided, 1 regression',
      [row({ status: 'regressed' }), row({ status: 'missing' })],
      { outcome: 'no-verdict' },
    ],
    ['no verdict: nothing is gated', [row({ role: 'reported', status: 'reported' })], { outcome: 'no-verdict' }],
    ['no verdict: cancelled', [row({})], { outcome: 'no-verdict', notes: [headlineNote('cancelled')] }],
    [
      'refused: models[0].pth is unknown',
      [],
      { outcome: 'refused', notes: [{ code: 'x', text: 'models[0].pth is unknown' }] },
    ],
  ])('is %j', (text, rows, overrides) => {
    expect(headline(rows, overrides)).toBe(text);
  });
});

describe('worst line', () => {
  const worst = (rows: readonly Row[], overrides: Partial<Verdict> = {}) => {
    const line = tableModel(buildVerdict(rows, overrides)).worst;
    return line && `${line.lead}${line.subject} | ${line.detail} | ${line.reason}`;
  };

  it('names the largest regression with how much it is at least', () => {
    const line = tableModel(buildRegression()).worst;
    expect(line?.subject).toBe('ranker · cuda · batch 32: latency p50 +8.1 %');
    expect(line?.detail).toBe('4.02 → 4.35 ms; at least +6.9 %, allowed 3 %');
  });

  it.each<[string, readonly Row[], Partial<Verdict>, string]>([
    [
      'a drop of a higher-is-better metric',
      [
        row({
          metric: 'throughput',
          better: 'higher',
          unit: '1/s',
          base: 7960,
          head: 7370,
          status: 'regressed',
          change: -0.074,
          interval: [-0.085, -0.062],
        }),
      ],
      { outcome: 'fail' },
      'ranker · cuda · batch 32: throughput −7.4 % | 7,960 → 7,370 /s; −6.2 % or lower, allowed 3 % | ',
    ],
    [
      'a broken head before any regression',
      [
        row({ status: 'regressed', change: 2 }),
        row({ status: 'regressed', metric: 'run', base: null, head: null, change: null, reason: 'head does not load' }),
      ],
      { outcome: 'fail' },
      'ranker · cuda · batch 32 does not run |  | head does not load',
    ],
    [
      'an absolute limit beside the margin',
      [
        row({
          status: 'regressed',
          head: 12.4,
          change: 2.08,
          interval: null,
          limit: { max: 12, min: null, maxIncrease: null },
          reason: 'over its limit',
        }),
      ],
      { outcome: 'fail' },
      'ranker · cuda · batch 32: latency p50 +208 % | 4.02 → 12.4 ms; allowed 3 %, max 12 ms | over its limit',
    ],
    [
      'an undecided row with its reason',
      [row({ status: 'inconclusive', change: 0.02, interval: [-0.01, 0.05], reason: 'not decided after 41 restarts' })],
      { outcome: 'no-verdict' },
      'ranker · cuda · batch 32: latency p50 +2.0 %, not decided | 4.02 → 4.03 ms | not decided after 41 restarts',
    ],
    [
      'in a pass the row closest to its margin',
      [row({}), row({ metric: 'latency.p95', interval: [0.01, 0.029], change: 0.02 })],
      {},
      'Closest to its margin: ranker · cuda · batch 32: latency p95 +2.0 % | 4.02 → 4.03 ms; at most +2.9 %, allowed 3 % | ',
    ],
    [
      'in a pass with a gain the gain (case N11)',
      [row({}), row({ metric: 'latency.p95', status: 'improved', head: 3.2, change: -0.2, interval: [-0.21, -0.19] })],
      {},
      'ranker · cuda · batch 32: latency p95 −20.0 %, improved | 4.02 → 3.20 ms; −19.0 % or lower, allowed 3 % | ',
    ],
    [
      'zero in base without a percentage (case N1)',
      [
        row({
          metric: 'errors',
          unit: 'count',
          base: 0,
          head: 1,
          change: null,
          interval: null,
          status: 'regressed',
          reason: 'above the floor of 0.5',
        }),
      ],
      { outcome: 'fail' },
      'ranker · cuda · batch 32: errors n/a | 0 → 1; allowed 3 % | above the floor of 0.5',
    ],
  ])('names %s', (_, rows, overrides, text) => {
    expect(worst(rows, overrides)).toBe(text);
  });

  it('is empty where nothing was judged', () => {
    expect(worst([row({ status: 'unchanged', base: null, head: null, change: null, interval: null })])).toBeNull();
  });
});
