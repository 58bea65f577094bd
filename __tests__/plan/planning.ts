import type { CaseGroup } from '../../src/plan/plan.ts';

const SHA = 'a'.repeat(64);

/** A group of one model on the cpu, batch by batch; `overrides` changes it. */
export function buildGroup(
  model: string,
  overrides: Partial<CaseGroup> = {},
  batches: readonly number[] = [1],
): CaseGroup {
  const arm = {
    commit: null,
    modelFile: `/models/${model}.onnx`,
    externalFiles: [],
    sha256: SHA,
    bytes: 1,
    runtimeDir: null,
    session: {},
  };
  const [first = 1, ...rest] = batches;
  const spec = (batch: number) => ({ id: `${model}/cpu/b${batch}/c1`, batch, feeds: [], workload: 'w' });
  return {
    id: `${model}/cpu`,
    model,
    path: `models/${model}.onnx`,
    provider: 'cpu',
    variant: null,
    comparison: 'paired',
    base: arm,
    head: { ...arm, sha256: 'b'.repeat(64) },
    cases: [spec(first), ...rest.map(spec)],
    fetch: 'smallest',
    pool: null,
    unchanged: false,
    notes: [],
    ...overrides,
  };
}
