import type { Row, Verdict } from '../../src/verdict/verdict.ts';

/** A row that passed, changed by `overrides`. */
export function buildRow(overrides: Partial<Row> = {}): Row {
  return {
    case: 'ranker/cuda/b32/c1',
    metric: 'latency.p50',
    comparison: 'paired',
    role: 'gated',
    status: 'pass',
    base: 4.02,
    head: 4.03,
    unit: 'ms',
    better: 'lower',
    change: 0.002,
    interval: [-0.004, 0.008],
    margin: 0.03,
    limit: null,
    restarts: 6,
    detectable: 0.012,
    reason: '',
    proven: null,
    furtherRestarts: null,
    warnings: [],
    ...overrides,
  };
}

/** A verdict over `rows`, changed by `overrides`; counts are those of the gated rows. */
export function buildVerdict(rows: readonly Row[], overrides: Partial<Verdict> = {}): Verdict {
  const counts: Verdict['counts'] = {};
  for (const row of rows) if (row.role === 'gated') counts[row.status] = (counts[row.status] ?? 0) + 1;
  return {
    schema: 'model-gate/verdict@1',
    outcome: 'pass',
    counts,
    seed: '1',
    base: { commit: 'def5678def5678def5678def5678def5678def56', session: 's-1' },
    head: { commit: 'abc1234abc1234abc1234abc1234abc1234abc12', session: 's-1' },
    mode: 'duet',
    durationS: 161,
    environment: { class: '9a1b0c', facts: { 'gpu.name': 'NVIDIA L4', 'driver.major': 580, 'cpu.model': 'AMD EPYC' } },
    notes: [],
    rows: [...rows],
    ...overrides,
  };
}

/** The regression of the design: p50 proven beyond its margin, p95 not yet proven, throughput shown, memory within. */
export function buildRegression(): Verdict {
  return buildVerdict(
    [
      buildRow({ case: 'ranker/cuda/b1/c1', base: 1.31, head: 1.31, change: 0.001 }),
      buildRow({
        status: 'regressed',
        head: 4.35,
        change: 0.081,
        interval: [0.069, 0.093],
        restarts: 13,
        reason: 'proven beyond 3 % in 13 restarts',
        proven: 'worse',
      }),
      buildRow({
        metric: 'latency.p95',
        status: 'inconclusive',
        base: 4.4,
        head: 4.71,
        change: 0.07,
        interval: [0.031, 0.099],
        margin: 0.05,
        restarts: 13,
        reason: 'slower, not yet proven among 3 rows',
        furtherRestarts: 6,
      }),
      buildRow({
        metric: 'throughput',
        role: 'reported',
        status: 'reported',
        base: 7960,
        head: 7370,
        unit: '1/s',
        better: 'higher',
        change: -0.074,
        interval: [-0.085, -0.062],
        margin: null,
        restarts: 13,
      }),
      buildRow({
        metric: 'memory.gpu.peak',
        base: 1.21 * 2 ** 30,
        head: 1.21 * 2 ** 30,
        unit: 'B',
        change: 0,
        interval: null,
        margin: 0.02,
        restarts: 13,
      }),
    ],
    { outcome: 'fail' },
  );
}
