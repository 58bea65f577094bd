import type { StoredSession } from '../../src/baseline/baseline-schema.ts';
import type { MetricFacts } from '../../src/compare/series.ts';
import type { HeadSession, StoredRequest } from '../../src/compare/stored.ts';

export const P50: MetricFacts = { id: 'latency.p50', unit: 'ms', better: 'lower' };
export const THROUGHPUT: MetricFacts = { id: 'throughput', unit: '1/s', better: 'higher' };

export interface SessionOptions {
  readonly reference?: number | null;
  readonly host?: string;
  readonly workload?: string;
  /** Log-ratio to the session before; 0 where the model did not change. */
  readonly step?: number | null;
  readonly metric?: string;
}

/** A stored session whose model took `value` and whose reference workload took `reference`. */
export function stored(index: number, value: number, options: SessionOptions = {}): StoredSession {
  const { reference = 1, host = 'host-a', workload = 'w1', step = 0, metric = P50.id } = options;
  return {
    session: `s${index}`,
    acceptedAt: '2026-11-28T10:00:00Z',
    epoch: 1,
    commit: null,
    sha256: 'a',
    host,
    case: 'c',
    workload,
    arm: { runtime: 'r', session: 'd' },
    metrics: {
      [metric]: {
        restarts: Array(6).fill(value),
        reference: reference === null ? [] : Array(6).fill(reference),
        ratioToPrevious: step === null ? null : { log: step, se: step === 0 ? 0 : 0.001 },
      },
    },
  };
}

export function head(value: number, reference: number | null = 1): HeadSession {
  return { restarts: Array(6).fill(value), reference: reference === null ? [] : Array(6).fill(reference) };
}

/** Values around 100 whose spread is 0.3 %. */
export const STEADY = [100, 100.3, 99.8, 100.1, 99.6, 100.4, 99.9, 100.2, 99.7, 100, 100.3, 99.7];

export function request(changes: Partial<StoredRequest>): StoredRequest {
  return {
    metric: P50,
    margin: { fraction: 0.03, floor: 0 },
    marginSource: 'config',
    workload: 'w1',
    host: 'host-a',
    head: [head(100)],
    sessions: STEADY.map((value, index) => stored(index, value)),
    k: 1,
    ...changes,
  };
}
