import { describe, expect, it } from '@jest/globals';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import { parseMeasurement } from '../../src/measure/measurement-file.ts';
import { mergeMeasurements } from '../../src/measure/merge-measurements.ts';
import { judge } from '../../src/verdict/judge.ts';
import { type CaseText, fileText, judgeTexts, restartsOf, rowOf } from './measurement-text.ts';

const one = (id: string, center = 1, count = 9): CaseText => ({
  id,
  restarts: restartsOf('latency.p50', center, count),
});
const manifest = (cases: readonly string[], k = cases.length) => ({
  seed: 'seed',
  k,
  looks: [6, 9, 13, 19, 28, 41],
  rows: cases.map((id) => ({ case: id, metric: 'latency.p50', role: 'gated' })),
});

describe('sets and manifests that broke other gates', () => {
  it('S1: a case that head lacks is missing, and the others do not pass for it', () => {
    const verdict = judgeTexts(
      fileText('base', { cases: [one('a/cpu/b1/c1'), one('b/cpu/b1/c1')] }),
      fileText('head', { cases: [one('a/cpu/b1/c1')] }),
    );
    expect(verdict.outcome).toBe('no-verdict');
    expect(rowOf(verdict, 'run', 'b/cpu/b1/c1')).toMatchObject({
      status: 'missing',
      reason: expect.stringMatching(/base only.*rename/),
    });
  });

  it('S2: cases without any in common are no verdict', () => {
    const verdict = judgeTexts(
      fileText('base', { cases: [one('m/cpu/b8/c1')] }),
      fileText('head', { cases: [one('m/cpu/b1/c1')] }),
    );
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { missing: 2 }]);
  });

  it.each([
    ['an empty file', ''],
    ['blank lines', '\n \n'],
    ['log lines', 'Loading model…\nKilled\n'],
    ['log lines in JSON', '{"level":"info"}\n{"level":"error"}\n'],
  ])('S3: %s means that the benchmark did not run', (_, text) => {
    expect(() => parseMeasurement(text, 'head.json')).toThrow(NoVerdictError);
    expect(() => parseMeasurement(text, 'head.json')).toThrow(/^head\.json: .*the benchmark did not run/);
  });

  it('S4: a manifest of four models with three measured names the fourth', () => {
    const ids = ['a', 'b', 'c', 'd'].map((model) => `${model}/cpu/b1/c1`);
    const cases = ids.slice(0, 3).map((id) => one(id));
    const verdict = judgeTexts(fileText('base', { cases }), fileText('head', { cases, manifest: manifest(ids) }));
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { pass: 3, missing: 1 }]);
    expect(rowOf(verdict, 'run', 'd/cpu/b1/c1').reason).toMatch(/promised in the manifest/);
  });

  it('S4: a promised row that was not measured is missing, a demoted one is shown with its reason', () => {
    const id = 'a/cpu/b1/c1';
    const promised = manifest([id]);
    const rows = [
      ...promised.rows,
      { case: id, metric: 'latency.p95', role: 'gated' },
      { case: id, metric: 'latency.p99', role: 'reported', reason: 'too few iterations for p99' },
    ];
    const verdict = judgeTexts(
      fileText('base', { cases: [one(id)] }),
      fileText('head', { cases: [one(id)], manifest: { ...promised, rows } }),
    );
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { pass: 1, missing: 1 }]);
    expect(rowOf(verdict, 'latency.p99')).toMatchObject({ status: 'reported', reason: 'too few iterations for p99' });
  });

  it('S5: limits for a model, case or metric that nothing has are refused', () => {
    const id = 'ranker/cpu/b1/c1';
    const texts = [fileText('base', { cases: [one(id)] }), fileText('head', { cases: [one(id)] })] as const;
    const policy = { 'latency.p50': { margin: 0.02 } };
    const judged = (config: object) => () => judgeTexts(texts[0], texts[1], config);
    expect(judged({ models: [{ id: 'ranke', metrics: policy }] })).toThrow(
      new RefusedError('models: no model "ranke" in the measurement files: did you mean "ranker"?'),
    );
    expect(
      judged({ models: [{ id: 'ranker', path: 'r.onnx', cases: { 'ranker/cpu/b2/c1': { metrics: policy } } }] }),
    ).toThrow(/no case "ranker\/cpu\/b2\/c1" was measured: did you mean "ranker\/cpu\/b1\/c1"/);
    const tpot = { tpot: { max: { value: 1, unit: 'ms' } } };
    expect(judged({ models: [{ id: 'ranker', path: 'r.onnx', metrics: tpot }] })).toThrow(
      /^models "ranker" metrics: no metric "tpot"/,
    );
    expect(judged({ metrics: { 'latency.p51': { gate: true } } })).toThrow(
      /^metrics: no metric "latency.p51".*did you mean "latency.p50"/,
    );
    expect(judged({ metrics: tpot })().outcome).toBe('pass');
  });

  it('S5: limits of a model that a gate left unmeasured stand, those of one that the files lack are refused', () => {
    const id = 'ranker/cpu/b1/c1';
    const elsewhere = { models: [{ id: 'other', path: 'other.onnx', metrics: { 'latency.p50': { margin: 0.02 } } }] };
    const judged = (head: object, config: object) => () =>
      judgeTexts(fileText('base', { cases: [one(id)] }), fileText('head', { cases: [one(id)], ...head }), config);
    expect(judged({ manifest: manifest([id]) }, elsewhere)().outcome).toBe('pass');
    expect(judged({}, elsewhere)).toThrow(
      new RefusedError('models: no model "other" in the measurement files; they hold "ranker"'),
    );
    expect(judged({}, { models: [{ id: 'other', path: 'other.onnx' }] })().outcome).toBe('pass');
  });

  it('S6: nothing gated is no verdict', () => {
    const id = 'a/cpu/b1/c1';
    const verdict = judgeTexts(fileText('base', { cases: [one(id)] }), fileText('head', { cases: [one(id)] }), {
      metrics: { 'latency.p50': { gate: false } },
    });
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', {}]);
    expect(verdict.notes[0]).toMatchObject({ headline: true, text: expect.stringMatching(/^nothing is gated/) });
  });

  it('S7: an absent device is no verdict with the reason of its fault', () => {
    const fault = { kind: 'not-measured', reason: 'provider cuda: no NVIDIA GPU on this runner' };
    const broken = { id: 'a/cuda/b1/c1', entry: { fault } };
    const verdict = judgeTexts(fileText('base', { cases: [broken] }), fileText('head', { cases: [broken] }));
    expect(verdict.outcome).toBe('no-verdict');
    expect(verdict.rows).toMatchObject([{ metric: 'run', status: 'missing', reason: fault.reason }]);
  });

  it('a head that does not run where base does is a fail', () => {
    const fault = { kind: 'head-broken', reason: 'head does not load: invalid graph' };
    const verdict = judgeTexts(
      fileText('base', { cases: [one('a/cpu/b1/c1')] }),
      fileText('head', { cases: [{ id: 'a/cpu/b1/c1', entry: { fault } }] }),
    );
    expect(verdict.outcome).toBe('fail');
    expect(verdict.rows).toMatchObject([{ metric: 'run', role: 'gated', status: 'regressed', reason: fault.reason }]);
  });

  it('S8, S13: a shard without its base arm, or one that never came, is no verdict', () => {
    const ids = ['a', 'b', 'c'].map((model) => `${model}/cpu/b1/c1`);
    const shard = (arm: 'base' | 'head', id: string) =>
      parseMeasurement(fileText(arm, { session: `s-${id}`, cases: [one(id)], manifest: manifest(ids) }), `${id}.json`);
    const [a, b] = ids as [string, string];
    const verdict = judge({
      base: mergeMeasurements([shard('base', a)]),
      head: mergeMeasurements([shard('head', a), shard('head', b)]),
      config: { version: 1 },
      today: '2026-12-01',
    });
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { pass: 1, missing: 2 }]);
    expect(rowOf(verdict, 'run', b).reason).toMatch(/head only/);
  });

  it('merged shards are judged as one, each paired within its own session', () => {
    const ids = ['a/cpu/b1/c1', 'b/cpu/b1/c1'];
    const shard = (arm: 'base' | 'head', id: string) =>
      parseMeasurement(fileText(arm, { session: `s-${id}`, cases: [one(id)] }), `${id}.json`);
    const merged = (arm: 'base' | 'head') => mergeMeasurements(ids.map((id) => shard(arm, id)));
    const verdict = judge({ base: merged('base'), head: merged('head'), config: { version: 1 }, today: '2026-12-01' });
    expect([verdict.outcome, verdict.counts]).toEqual(['pass', { pass: 2 }]);
  });

  it('two attempts of one head continue the looks of the first', () => {
    const attempt = (arm: 'base' | 'head', session: string) =>
      parseMeasurement(fileText(arm, { session, cases: [one('a/cpu/b1/c1', 1, 4)] }), `${session}.json`);
    const both = (arm: 'base' | 'head') => mergeMeasurements(['s1', 's2'].map((session) => attempt(arm, session)));
    const alone = judge({
      base: attempt('base', 's1'),
      head: attempt('head', 's1'),
      config: { version: 1 },
      today: '2026-12-01',
    });
    const verdict = judge({ base: both('base'), head: both('head'), config: { version: 1 }, today: '2026-12-01' });
    expect([alone.outcome, verdict.outcome, verdict.rows[0]?.restarts]).toEqual(['no-verdict', 'pass', 6]);
  });

  it('an attempt on another machine does not continue the looks, and is named', () => {
    const attempt = (arm: 'base' | 'head', session: string, name: string) =>
      parseMeasurement(
        fileText(arm, { session, environment: { class: name, facts: {} }, cases: [one('a/cpu/b1/c1', 1, 4)] }),
        session,
      );
    const both = (arm: 'base' | 'head') => mergeMeasurements([attempt(arm, 's1', 'T4'), attempt(arm, 's2', 'L4')]);
    const verdict = judge({ base: both('base'), head: both('head'), config: { version: 1 }, today: '2026-12-01' });
    expect([verdict.outcome, verdict.rows[0]?.restarts]).toEqual(['no-verdict', 4]);
    expect(verdict.notes).toContainEqual({
      code: 'attempt-left-out',
      text: 'a/cpu/b1/c1: left out session "s1": measured in another environment class',
    });
  });

  it('S10: a restart that appears twice is refused, in one file and in two', () => {
    const text = fileText('head', { cases: [one('a/cpu/b1/c1'), one('a/cpu/b1/c1')] });
    expect(() => parseMeasurement(text, 'head.json')).toThrow(
      new RefusedError('head.json: restart 0 of case "a/cpu/b1/c1" appears twice: keep one of them'),
    );
    const file = parseMeasurement(fileText('head', { cases: [one('a/cpu/b1/c1')] }), 'head.json');
    expect(() => mergeMeasurements([file, file])).toThrow(/is in two files of the head arm/);
  });

  it('S11: 256 rows all slower: too few restarts name how many suffice, then they fail', () => {
    const ids = Array.from({ length: 256 }, (_, i) => `m${i}/cpu/b1/c1`);
    const verdict = (count: number) =>
      judgeTexts(
        fileText('base', { cases: ids.map((id) => one(id, 1, count)) }),
        fileText('head', { cases: ids.map((id) => one(id, 1.2, count)) }),
      );
    const early = verdict(12);
    expect(early.outcome).toBe('no-verdict');
    expect(early.rows[0]).toMatchObject({
      furtherRestarts: 7,
      reason: expect.stringMatching(/slower is not yet proven among 256 rows.*7 more restarts/),
    });
    const late = verdict(20);
    expect([late.outcome, late.counts]).toEqual(['fail', { regressed: 256 }]);
  });

  it('S11: uninteresting rows stay in the family of an interesting one', () => {
    const ids = Array.from({ length: 30 }, (_, i) => `m${i}/cpu/b1/c1`);
    const verdict = judgeTexts(
      fileText('base', { cases: ids.map((id) => one(id, 1, 9)) }),
      fileText('head', { cases: ids.map((id, i) => one(id, i === 0 ? 1.2 : 1, 9)) }),
    );
    expect([verdict.outcome, verdict.counts]).toEqual(['no-verdict', { inconclusive: 1, pass: 29 }]);
  });

  it('S12: different workloads are incomparable, both named', () => {
    const verdict = judgeTexts(
      fileText('base', { cases: [{ ...one('a/cpu/b1/c1'), workload: 'w-old' }] }),
      fileText('head', { cases: [{ ...one('a/cpu/b1/c1'), workload: 'w-new' }] }),
    );
    expect(verdict.outcome).toBe('no-verdict');
    expect(verdict.rows[0]).toMatchObject({
      status: 'incomparable',
      reason: 'workload differs: "w-old" in base, "w-new" in head',
    });
  });

  it('S13: a row that nobody gates cannot break anything', () => {
    const metrics = { 'latency.mean': {} };
    const restarts = restartsOf('latency.p50', 1, 9);
    const verdict = judgeTexts(
      fileText('base', { cases: [{ metrics, restarts }] }),
      fileText('head', {
        cases: [{ metrics, restarts: restarts.map((values) => ({ ...values, 'latency.mean': -1 })) }],
      }),
    );
    expect([verdict.outcome, rowOf(verdict, 'latency.mean').status]).toEqual(['pass', 'reported']);
  });
});

describe('noise cases that concern paired comparison', () => {
  it('Z2: both arms drifting by 3 % through the job pass', () => {
    const drift = Array.from({ length: 9 }, (_, i) => ({
      'latency.p50': 10 * (1 + (0.03 * i) / 8) * (1 + 0.001 * ((i * 5) % 3)),
    }));
    const other = Array.from({ length: 9 }, (_, i) => ({
      'latency.p50': 10 * (1 + (0.03 * i) / 8) * (1 + 0.001 * ((i * 7) % 3)),
    }));
    expect(
      judgeTexts(fileText('base', { cases: [{ restarts: drift }] }), fileText('head', { cases: [{ restarts: other }] }))
        .outcome,
    ).toBe('pass');
  });

  it('Z3: restarts that were all throttled are no verdict with that reason', () => {
    const restarts = Array.from({ length: 9 }, () => ({}));
    const invalid = Object.fromEntries(restarts.map((_, i) => [i, ['HW thermal slowdown for 4 % of the window']]));
    const verdict = judgeTexts(
      fileText('base', { cases: [{ restarts, invalid }] }),
      fileText('head', { cases: [{ restarts, invalid }] }),
    );
    expect(verdict.outcome).toBe('no-verdict');
    expect(verdict.rows).toMatchObject([
      { status: 'invalid', reason: expect.stringMatching(/9 of 9 restarts are invalid \(HW thermal slowdown/) },
    ]);
  });

  it('Z7: another machine is incomparable, each differing fact with both values', () => {
    const env = (name: string) => ({ class: name, facts: { 'gpu.name': name, 'cpu.model': 'EPYC' } });
    const verdict = judgeTexts(
      fileText('base', { environment: env('L4'), cases: [one('a/cuda/b1/c1')] }),
      fileText('head', { environment: env('T4'), cases: [one('a/cuda/b1/c1')] }),
    );
    expect(verdict.rows[0]).toMatchObject({
      status: 'incomparable',
      reason: 'gpu.name differs: "L4" in base, "T4" in head',
    });
  });

  it('Z9: iterations of one process are one restart, however many rounds agree', () => {
    const entry = (value: number) => ({
      restarts: [
        {
          index: 0,
          valid: true,
          notes: [],
          values: { 'latency.p50': value },
          rounds: { 'latency.p50': Array.from({ length: 40 }, () => value) },
        },
      ],
    });
    const verdict = judgeTexts(
      fileText('base', { cases: [{ entry: entry(1) }] }),
      fileText('head', { cases: [{ entry: entry(1.5) }] }),
    );
    expect([verdict.outcome, rowOf(verdict, 'latency.p50').status]).toEqual(['no-verdict', 'inconclusive']);
  });

  it('files of different sessions were not measured together', () => {
    const verdict = judgeTexts(
      fileText('base', { session: 's1', cases: [one('a/cpu/b1/c1')] }),
      fileText('head', { session: 's2', cases: [one('a/cpu/b1/c1')] }),
    );
    expect(verdict.rows[0]).toMatchObject({
      status: 'incomparable',
      reason: expect.stringMatching(/^not measured together.*measure --against/),
    });
  });

  it('different definitions of a metric are incomparable, the other metrics are judged', () => {
    const restarts = restartsOf('latency.p50', 1, 9).map((values, i) => ({
      ...values,
      ...restartsOf('load.time', 50, 9)[i],
    }));
    const cold = (definition: string) => ({ restarts, metrics: { 'load.time': { definition } } });
    const verdict = judgeTexts(
      fileText('base', { cases: [cold('warm-cache@1')] }),
      fileText('head', { cases: [cold('cold-cache@1')] }),
      { metrics: { 'load.time': { gate: true } } },
    );
    expect([rowOf(verdict, 'latency.p50').status, rowOf(verdict, 'load.time').status]).toEqual([
      'pass',
      'incomparable',
    ]);
    expect(verdict.outcome).toBe('no-verdict');
  });
});
