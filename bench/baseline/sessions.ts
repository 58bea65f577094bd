import { createHash } from 'node:crypto';
import type { AcceptedSession } from '../../src/baseline/append-session.ts';

const ARM = { runtime: 'onnxruntime-node 1.30.0', session: 'provider=cuda session.threads=4' } as const;

export interface Shape {
  readonly cases: number;
  readonly metrics: number;
  readonly restarts: number;
}

/** Accepted sessions of realistic size: `cases` × `metrics`, values with six digits, one reference a case beside them. */
export function syntheticSession(
  index: number,
  { cases, metrics, restarts }: Shape,
  random: () => number,
): AcceptedSession[] {
  const value = (scale: number) => Number((scale * (1 + 0.02 * random())).toPrecision(6));
  const sha = (at: number) => createHash('sha256').update(`${at}`).digest('hex');
  const list = (scale: number) => Array.from({ length: restarts }, () => value(scale));
  return Array.from({ length: cases }, (_, number) => ({ number, reference: list(1.3) })).map(
    ({ number, reference }) => ({
      session: `4f1c${index.toString(16).padStart(8, '0')}`,
      acceptedAt: new Date(1_760_000_000_000 + index * 3_600_000).toISOString(),
      commit: sha(index).slice(24),
      sha256: sha(index),
      host: 'b1946ac92492',
      case: `ranker/cuda/b${2 ** number}/c1`,
      workload: '0123456789abcdef',
      arm: ARM,
      base: index === 0 ? null : { sha256: sha(index - 1), arm: ARM },
      metrics: Object.fromEntries(
        Array.from({ length: metrics }, (_, metric) => [
          `latency.p${50 + metric}`,
          {
            restarts: list(4),
            reference,
            ratioToBase: index === 0 ? null : { log: value(0.001), se: value(0.0005) },
          },
        ]),
      ),
    }),
  );
}
