import { describe, expect, it } from '@jest/globals';
import type { ModelConfig } from '../../src/inputs/gate-config.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { reserialise } from '../../src/model/variant.ts';
import { planGroups, type ReadyModel } from '../../src/plan/plan-groups.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const BYTES = tinyMlp({ dim: 8, layers: 2 });
const OPTIONS = { defaultProvider: 'cpu', equalArms: 'unchanged' } as const;

function arm(bytes: Uint8Array, digit: string) {
  return {
    commit: null,
    modelFile: '/m.onnx',
    externalFiles: [],
    sha256: digit.repeat(64),
    bytes: bytes.length,
    facts: readModel(bytes, 'm.onnx'),
  };
}

function ready(overrides: Partial<ReadyModel> = {}, config: ModelConfig = {}): ReadyModel {
  return {
    id: 'm',
    path: 'm.onnx',
    base: arm(BYTES, 'a'),
    head: arm(reserialise(BYTES), 'b'),
    baseConfig: config,
    headConfig: config,
    comparison: 'paired',
    feedFiles: {},
    notes: [],
    ...overrides,
  };
}

describe('the groups of a model', () => {
  it('are one a provider, with a case a batch', () => {
    const { groups } = planGroups(ready({}, { providers: ['cpu', 'webgpu'], batches: [1, 32] }), OPTIONS);
    expect(groups.map(({ id, cases, fetch }) => [id, cases.map((spec) => spec.id), fetch])).toEqual([
      ['m/cpu', ['m/cpu/b1/c1', 'm/cpu/b32/c1'], 'smallest'],
      ['m/webgpu', ['m/webgpu/b1/c1', 'm/webgpu/b32/c1'], 'all'],
    ]);
  });

  it.each([
    ['equal bytes and options are unchanged', {}, {}, 'a', 'unchanged', true],
    ['other bytes are measured', {}, {}, 'b', 'unchanged', false],
    ['other options are measured', { session: { threads: 1 } }, {}, 'a', 'unchanged', false],
    ['another runtime is measured', {}, { arms: { head: { runtime: '/new' } } }, 'a', 'unchanged', false],
    ['equal arms are measured on demand', {}, {}, 'a', 'measure', false],
  ] as const)('%s', (_, baseConfig, headConfig, digit, equalArms, unchanged) => {
    const model = ready({ head: arm(BYTES, digit), baseConfig, headConfig });
    expect(planGroups(model, { ...OPTIONS, equalArms }).groups[0]?.unchanged).toBe(unchanged);
  });

  it('hash the declared work, not the model', () => {
    const [one] = planGroups(ready(), OPTIONS).groups;
    const [other] = planGroups(ready({ head: arm(tinyMlp({ dim: 8, layers: 4 }), 'c') }), OPTIONS).groups;
    expect(one?.cases[0]?.workload).toBe(other?.cases[0]?.workload);
  });

  it('tell a changed signature first', () => {
    const head = arm(tinyMlp({ dim: 16, layers: 2 }), 'c');
    const notes = planGroups(ready({ head }), OPTIONS).groups[0]?.notes ?? [];
    expect(notes[0]).toMatchObject({ code: 'signature-changed', headline: true });
    expect(notes[0]?.text).toMatch(/^m: input .* changed from .*8\] to .*16\]/);
  });

  it('are none where a question is open', () => {
    const { groups, questions } = planGroups(ready({}, { inputs: { nonsense: { fill: 'normal' } } }), OPTIONS);
    expect(groups).toEqual([]);
    expect(questions[0]).toMatch(/^m: .*nonsense/);
  });
});
