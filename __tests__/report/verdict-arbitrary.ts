import fc from 'fast-check';
import { OUTCOMES, type Row, STATUSES, type Verdict } from '../../src/verdict/verdict.ts';
import { buildRow, buildVerdict } from '../fakes/verdict-builder.ts';

const fraction = fc.option(fc.double({ min: -0.9, max: 5, noNaN: true }), { nil: null });
const value = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: null });

/** Any row that the schema allows, its words neutral. */
export const anyRow: fc.Arbitrary<Row> = fc
  .record({
    case: fc.constantFrom('ranker/cuda/b1/c1', 'ranker/cuda/b32/c1', 'tagger/cpu/b8/c4/int8', 'opaque id'),
    metric: fc.constantFrom('latency.p50', 'latency.p95', 'throughput', 'memory.gpu.peak', 'run', 'tpot'),
    comparison: fc.constantFrom('paired', 'stored', 'creep'),
    role: fc.constantFrom('gated', 'advisory', 'reported'),
    status: fc.constantFrom(...STATUSES),
    base: value,
    head: value,
    unit: fc.constantFrom('ms', 'B', '1/s', 'ratio', 'count'),
    better: fc.constantFrom('lower', 'higher'),
    change: fraction,
    interval: fc.option(fc.tuple(fraction, fraction), { nil: null }),
    margin: fraction,
    restarts: fc.nat(41),
    detectable: fraction,
    reason: fc.constantFrom('', 'a reason'),
    furtherRestarts: fc.option(fc.nat(30), { nil: null }),
  } satisfies { [K in keyof Row]?: fc.Arbitrary<Row[K]> })
  .map((row) => buildRow(row));

/** Any outcome over any rows: most of them contradict each other. */
export const anyVerdict: fc.Arbitrary<Verdict> = fc
  .record({ outcome: fc.constantFrom(...OUTCOMES), rows: fc.array(anyRow, { maxLength: 12 }) })
  .map(({ outcome, rows }) => buildVerdict(rows, { outcome }));
