import { describe, expect, it } from '@jest/globals';
import type { ChangedModel } from '../../src/changes/change-set.ts';
import type { Machine } from '../../src/measure/bench.ts';
import type { GpuAbsence } from '../../src/measure/gpu-absence.ts';
import { chooseProvider } from '../../src/measure/provider-check.ts';
import { readModel } from '../../src/model/model-facts.ts';
import type { ArmOnDisk } from '../../src/plan/plan-groups.ts';
import { planChange } from '../../src/plan-change.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

type Settings = Partial<ChangedModel['headConfig']>;

function changeOf(config: Settings): ChangedModel {
  const section = { id: 'm', path: 'm.onnx', ...config };
  const source = { kind: 'work-tree', path: 'm.onnx' } as const;
  return {
    id: 'm',
    path: 'm.onnx',
    reasons: ['modified'],
    previousId: null,
    base: source,
    head: source,
    baseConfig: section,
    headConfig: section,
    listedBy: 'head',
  };
}

const arm = (digit: string): ArmOnDisk => ({
  commit: null,
  modelFile: `/${digit}.onnx`,
  externalFiles: [],
  sha256: digit.repeat(64),
  bytes: 1,
  facts: readModel(tinyMlp(), 'm.onnx'),
});

function planOn(absence: GpuAbsence | null, config: Settings, digests: readonly [string, string] = ['a', 'b']) {
  const machine: Machine = {
    environment: () => ({ class: 'c', facts: {} }),
    chooseProvider: (asked) => chooseProvider(asked, 0, absence),
  };
  const change = changeOf(config);
  const { baseConfig, headConfig } = change;
  const [base, head] = digests.map(arm) as [ArmOnDisk, ArmOnDisk];
  const model = { id: 'm', path: 'm.onnx', base, head, baseConfig, headConfig, feedFiles: {}, notes: [] };
  return planChange(change, { kind: 'ready', model: { ...model, comparison: 'paired' } }, machine);
}

const LOST: GpuAbsence = { kind: 'lost', reason: 'the GPU is lost' };
const NONE: GpuAbsence = { kind: 'no-tool', reason: 'nvidia-smi is not on PATH' };

describe('cases of a changed model', () => {
  it.each<[string, GpuAbsence | null, string]>([
    ['a card', null, 'm/cuda'],
    ['none', NONE, 'm/cpu'],
  ])('run on what the machine has where nothing is asked: %s', (_, absence, group) => {
    const { groups, faults, notes } = planOn(absence, {});
    expect(groups.map(({ id }) => id)).toEqual([group]);
    expect(faults).toEqual([]);
    expect(notes).toEqual([{ code: 'provider-default', text: expect.any(String) }]);
  });

  it('are faults where a card is there but fails, never a CPU run', () => {
    const { groups, faults } = planOn(LOST, { batches: [1, 8] });
    expect(groups).toEqual([]);
    expect(faults.map(({ case: { id } }) => id)).toEqual(['m/cuda/b1/c1', 'm/cuda/b8/c1']);
    expect(faults[0]?.fault).toEqual({ kind: 'not-measured', reason: expect.stringContaining('the GPU is lost') });
  });

  it('on another provider are measured all the same', () => {
    const { groups, faults } = planOn(LOST, { providers: ['cpu', 'cuda'] });
    expect(groups.map(({ id }) => id)).toEqual(['m/cpu']);
    expect(faults.map(({ case: { id } }) => id)).toEqual(['m/cuda/b1/c1']);
  });

  it('of equal arms need no device', () => {
    const { groups, faults, notes } = planOn(NONE, { providers: ['cuda'] }, ['a', 'a']);
    expect(groups.map(({ unchanged }) => unchanged)).toEqual([true]);
    expect([faults, notes]).toEqual([[], []]);
  });
});
