import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { gateConfigSchema } from '../../src/inputs/gate-config.ts';
import { writePhrase } from '../../src/report/phrase.ts';
import type { ReportOptions } from '../../src/report/report-options.ts';
import { tableModel } from '../../src/report/table-model.ts';
import { waiverYaml } from '../../src/report/waive.ts';
import type { Row, Verdict } from '../../src/verdict/verdict.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';

const row = (overrides: Partial<Row>): Row => buildRow(overrides);
const next = (rows: readonly Row[], overrides: Partial<Verdict> = {}, options: ReportOptions = {}): string | null => {
  const phrase = tableModel(buildVerdict(rows, overrides), options).next;
  return phrase && writePhrase(phrase, (code) => `\`${code}\``);
};

describe('next step', () => {
  const failed = row({ status: 'regressed' });
  it.each<[string | null, readonly Row[], Partial<Verdict>, ReportOptions]>([
    [null, [row({})], {}, {}],
    [
      'keep the gain by accepting it as the baseline: `model-gate baseline accept --reason "why this is fine"`',
      [row({ status: 'improved', change: -0.2 })],
      {},
      {},
    ],
    [
      'look closer with `model-gate run --base def5678def56 --models models/ranker.onnx`, or waive or accept it with a reason (shown below).',
      [failed],
      { outcome: 'fail' },
      { modelPaths: { ranker: 'models/ranker.onnx' } },
    ],
    [
      "look closer with `model-gate run --models 'models/$(reboot).onnx'`, or waive or accept it with a reason (shown below).",
      [failed],
      { outcome: 'fail', base: { commit: '$(reboot)', session: null } },
      { modelPaths: { ranker: 'models/$(reboot).onnx' } },
    ],
    [
      'look closer with `model-gate run --base def5678def56`',
      [row({ status: 'regressed', metric: 'run' })],
      { outcome: 'fail' },
      {},
    ],
    [
      'run it again; about 12 more restarts should decide.',
      [row({ status: 'inconclusive', furtherRestarts: 12 })],
      { outcome: 'no-verdict' },
      {},
    ],
    [
      'run it again, or raise `time-budget` in the config.',
      [row({ status: 'inconclusive' })],
      { outcome: 'no-verdict' },
      {},
    ],
    ['clear the reason, then run it again.', [row({ status: 'missing' })], { outcome: 'no-verdict' }, {}],
    ['fix what is named above, then run it again.', [], { outcome: 'refused' }, {}],
  ])('is %j', (text, rows, overrides, options) => {
    expect(next(rows, overrides, options)).toBe(text);
  });
});

describe('order of rows', () => {
  it('puts regressions first, then undecided, advisory and context rows, case by case; the rest is folded', () => {
    const model = tableModel(
      buildVerdict(
        [
          row({ case: 'quiet/cpu/b1/c1' }),
          row({ case: 'quiet/cpu/b1/c1', metric: 'model.size', role: 'reported', status: 'reported', unit: 'B' }),
          row({ case: 'same/cpu/b1/c1', status: 'unchanged' }),
          row({ case: 'mild/cpu/b1/c1', status: 'regressed', change: 0.05 }),
          row({ case: 'mild/cpu/b1/c1', metric: 'load.time', role: 'advisory', proven: 'worse', change: 0.3 }),
          row({ case: 'bad/cpu/b1/c1', metric: 'memory.host.peak', unit: 'B' }),
          row({ case: 'bad/cpu/b1/c1', metric: 'latency.p95', status: 'inconclusive' }),
          row({ case: 'bad/cpu/b1/c1', status: 'regressed', change: 0.4 }),
        ],
        { outcome: 'fail' },
      ),
    );
    expect(model.visible.map((view) => `${view.mark || view.word} ${view.check}`)).toEqual([
      '❌ bad cpu b1 · latency p50',
      '❌ mild cpu b1 · latency p50',
      'not decided bad cpu b1 · latency p95',
      '⚠️ mild cpu b1 · load time',
      '✅ bad cpu b1 · host memory',
    ]);
    expect(model.folded.map((view) => view.check)).toEqual([
      'quiet cpu b1 · latency p50',
      'quiet cpu b1 · model size',
      'same cpu b1 · latency p50',
    ]);
    expect(model.foldedTitle).toBe('2 more checks within their margins, 1 value shown only');
  });

  it('never holds a row that is only reported against the change, whatever was found of it', () => {
    const reported = row({ metric: 'throughput', role: 'reported', status: 'reported', proven: 'worse' });
    const model = tableModel(buildVerdict([row({}), reported]));
    expect(model.visible).toEqual([]);
    expect(model.folded.map((view) => view.word)).toEqual(['within', 'shown']);
  });

  it('names opaque cases as they are, and the comparison where it is not the paired one', () => {
    const { folded } = tableModel(
      buildVerdict([
        row({ case: 'resnet nightly', metric: 'tpot' }),
        row({ case: 'tagger/cpu/b8/c4/int8', comparison: 'stored' }),
        row({ case: 'tagger/cpu/b8/c1', comparison: 'creep' }),
      ]),
    );
    expect(folded.map((view) => view.check)).toEqual([
      'resnet nightly · tpot',
      'tagger cpu b8 c4 int8 · latency p50 (stored)',
      'tagger cpu b8 · latency p50 (since anchor)',
    ]);
  });
});

describe('waivers', () => {
  const waivers = (rows: readonly Row[]) =>
    tableModel(buildVerdict(rows, { outcome: 'fail' }), { waiveUntil: '2027-01-31' });

  it('are written as the config reads them, with a ceiling above all that the interval allows', () => {
    const { waivers: entries } = tableModel(buildRegression(), { waiveUntil: '2027-01-31' });
    const config = gateConfigSchema.parse({ version: 1, ...parse(waiverYaml(entries)) });
    expect(config.waivers).toEqual([
      {
        model: 'ranker',
        metric: 'latency.p50',
        case: 'ranker/cuda/b32/c1',
        ceiling: 0.1,
        until: '2027-01-31',
        reason: 'why this is acceptable',
      },
    ]);
  });

  it.each<[string, Partial<Row>, string]>([
    ['the upper end', { change: 0.081, interval: [0.069, 0.093] }, '10%'],
    ['more than an end on a whole percent', { change: 0.081, interval: [0.069, 0.25] }, '26%'],
    ['the cost of a drop', { better: 'higher', change: -0.45, interval: [-0.5, -0.4] }, '101%'],
    ['a tenth more where there is no interval', { change: 0.5, interval: null }, '56%'],
  ])('take %s as ceiling', (_, overrides, ceiling) => {
    expect(waivers([row({ status: 'regressed', ...overrides })]).waivers.map((entry) => entry.ceiling)).toEqual([
      ceiling,
    ]);
  });

  it.each<[string, Partial<Row>]>([
    ['head must run first', { metric: 'run', change: null }],
    [
      'an absolute limit is not waived but changed in the config',
      { head: 13, limit: { max: 12, min: null, maxIncrease: null } },
    ],
    [
      'an absolute limit is not waived but changed in the config',
      { head: 1, limit: { max: null, min: 2, maxIncrease: null } },
    ],
    [
      'an absolute limit is not waived but changed in the config',
      { head: 5, limit: { max: null, min: null, maxIncrease: 0.5 } },
    ],
    ['its change has no percentage', { base: 0, change: null }],
    ['its name does not fit a config', { case: 'opaque' }],
    ['its name does not fit a config', { metric: 'a\u202eb' }],
  ])('are not offered where they would not help: %s', (why, overrides) => {
    const model = waivers([row({ status: 'regressed', ...overrides })]);
    expect(model.waivers).toEqual([]);
    expect(model.unwaivable).toEqual([expect.stringContaining(why)]);
  });
});

describe('notes', () => {
  it('are sorted into what comes first, what changed and the rest, each once, warnings with their rows', () => {
    const warning = { code: 'host-bound', text: 'host bound: 40 % is call overhead' };
    const model = tableModel(
      buildVerdict(
        [
          row({ warnings: [warning] }),
          row({ metric: 'latency.p95', warnings: [warning] }),
          row({ metric: 'throughput' }),
        ],
        {
          notes: [
            { code: 'signature-changed', text: 'ranker: input ids added', headline: true },
            { code: 'arms-differ', text: 'onnxruntime-node 1.29.0 → 1.30.0' },
            { code: 'waiver-expired', text: 'the waiver of ranker latency.p50 expired on 2026-11-30' },
            { code: 'waiver-expired', text: 'the waiver of ranker latency.p50 expired on 2026-11-30' },
          ],
        },
      ),
    );
    expect(model.firstNotes).toEqual(['ranker: input ids added']);
    expect(model.changes).toEqual(['onnxruntime-node 1.29.0 → 1.30.0']);
    expect(model.notes).toEqual([
      'the waiver of ranker latency.p50 expired on 2026-11-30',
      'ranker cuda b32 · latency p50 and 1 more row: host bound: 40 % is call overhead',
    ]);
  });
});

describe('how it was measured', () => {
  const how = (rows: readonly Row[], overrides: Partial<Verdict> = {}) => tableModel(buildVerdict(rows, overrides)).how;

  it('names machine, mode, restarts, time and what could be seen', () => {
    expect(how([row({}), row({ restarts: 13, detectable: 0.034 })])).toEqual([
      'NVIDIA L4, driver 580',
      'both arms taking turns',
      '6 to 13 restarts',
      '2 min 41 s',
      'could see changes of 1.2 % to 3.4 % and more',
    ]);
  });

  it('names the processor where no case ran on a GPU, and says where nothing was measured', () => {
    const facts = { 'gpu.name': 'NVIDIA L4', 'cpu.model': 'AMD EPYC', 'cpu.granted': 2 };
    const overrides = { environment: { class: 'x', facts }, durationS: 0 };
    expect(how([row({ case: 'ranker/cpu/b1/c1', restarts: 0 })], overrides)).toEqual([
      'AMD EPYC, 2 cores',
      'nothing was measured',
    ]);
  });
});
