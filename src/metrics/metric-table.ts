import type { CanonicalUnit } from './units.ts';

/** Which direction of a metric is good. */
export type Better = 'lower' | 'higher';

/** `gated` decides the outcome; `advisory` is judged and shown only; `reported` is not judged. */
export type Role = 'gated' | 'advisory' | 'reported';

/**
 * How a row is decided: `signed-rank` by the paired test over restarts, `memory` by the two-sample
 * counting rule, `plain` by comparing two deterministic values, `none` not at all.
 */
export type Judge = 'signed-rank' | 'memory' | 'plain' | 'none';

/** A change is beyond the margin only if it exceeds the fraction *and* the floor (canonical unit). */
export interface Margin {
  readonly fraction: number;
  readonly floor: number;
}

export interface MetricDefinition {
  readonly id: string;
  readonly label: string;
  readonly unit: CanonicalUnit;
  readonly better: Better;
  readonly margin: Margin;
  readonly role: Role;
  readonly judge: Judge;
  /** Only values of equal definition are compared. */
  readonly definition: string;
  /** Kept iterations per arm and restart below which the value is not measured; the binomial bound of MLPerf LoadGen. */
  readonly minIterations: number;
}

const MIB = 2 ** 20;
const ORT_RUN = 'ort-run@1';

function metric(
  id: string,
  label: string,
  unit: CanonicalUnit,
  better: Better,
  margin: Margin,
  role: Role,
  judge: Judge,
  definition: string,
  minIterations = 0,
): MetricDefinition {
  return { id, label, unit, better, margin, role, judge, definition, minIterations };
}

const pct = (percent: number, floor = 0): Margin => ({ fraction: percent / 100, floor });

/** Every metric the gate knows, by id; DESIGN §5. Metrics outside it must state unit, direction and definition. */
export const METRICS: ReadonlyMap<string, MetricDefinition> = new Map(
  [
    metric('latency.p50', 'latency p50', 'ms', 'lower', pct(3), 'gated', 'signed-rank', ORT_RUN, 10),
    metric('latency.p95', 'latency p95', 'ms', 'lower', pct(5), 'gated', 'signed-rank', ORT_RUN, 130),
    metric('latency.p99', 'latency p99', 'ms', 'lower', pct(10), 'advisory', 'signed-rank', ORT_RUN, 662),
    metric('throughput', 'throughput', '1/s', 'higher', pct(3), 'reported', 'signed-rank', 'throughput-w95@1', 10),
    metric('latency.p90', 'latency p90', 'ms', 'lower', pct(5), 'reported', 'signed-rank', ORT_RUN, 64),
    metric('latency.mean', 'latency mean', 'ms', 'lower', pct(5), 'reported', 'signed-rank', ORT_RUN, 10),
    metric('load.time', 'load time', 'ms', 'lower', pct(10), 'advisory', 'signed-rank', 'warm-cache@1'),
    metric('first.inference', 'first inference', 'ms', 'lower', pct(25), 'advisory', 'signed-rank', 'warm-cache@1'),
    metric('memory.host.peak', 'host memory', 'B', 'lower', pct(2, MIB), 'gated', 'memory', 'vmhwm-50runs@1'),
    metric('memory.gpu.peak', 'GPU memory', 'B', 'lower', pct(2, 16 * MIB), 'gated', 'memory', 'gpu-own-process@1'),
    metric('memory.gpu.weights', 'GPU weights', 'B', 'lower', pct(2, 16 * MIB), 'gated', 'memory', 'gpu-own-process@1'),
    metric('memory.arena.peak', 'arena memory', 'B', 'lower', pct(2, MIB), 'gated', 'plain', 'ort-profile@1'),
    metric(
      'ep.coverage',
      'operators on the provider',
      'ratio',
      'higher',
      pct(0),
      'gated',
      'plain',
      'ort-profile-counts@1',
    ),
    metric('model.size', 'model size', 'B', 'lower', pct(0), 'reported', 'plain', 'bytes@1'),
    metric('floor.share', 'share of call overhead', 'ratio', 'lower', pct(0), 'reported', 'none', 'identity-model@1'),
  ].map((entry) => [entry.id, entry]),
);

/** Margin of a metric outside the table: 3 %, no floor. */
export const DEFAULT_MARGIN: Margin = { fraction: 0.03, floor: 0 };

/** Below this base latency the p50 margin also needs an absolute excess: one extra input tensor costs about 1 us. */
export const FAST_MODEL = { belowMs: 0.2, floorMs: 0.002 } as const;
