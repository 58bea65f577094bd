import type { AcceptedSession, BaselineHeader } from '../../src/baseline/append-session.ts';
import { appendSessions } from '../../src/baseline/append-session.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';

export const HEADER: BaselineHeader = {
  model: 'ranker',
  class: '9a1b2c3d4e5f',
  facts: { 'gpu.name': 'NVIDIA L4', 'cpu.granted': 8 },
};

export const ARM = { runtime: 'onnxruntime-node 1.30.0', session: 'defaults' } as const;

/** A digest from any text, so that tests name bytes by words. */
export function digest(name: string): { sha256: string; arm: typeof ARM } {
  return { sha256: Buffer.from(name).toString('hex').padEnd(64, '0'), arm: ARM };
}

export interface SampleOptions {
  readonly session: string;
  readonly bytes?: string;
  readonly base?: string | null;
  readonly value?: number;
  readonly step?: number | null;
  readonly se?: number;
  readonly case?: string;
  readonly host?: string;
}

/** One accepted session of latency.p50; `step` is its log-ratio to its base arm. */
export function accepted(options: SampleOptions): AcceptedSession {
  const { session, bytes = session, base = null, value = 4, step = 0.001, se = 0.001 } = options;
  return {
    session,
    acceptedAt: '2026-11-28T10:00:00Z',
    commit: 'c0ffee',
    host: options.host ?? 'host-a',
    case: options.case ?? 'ranker/cuda/b32/c1',
    workload: 'w1',
    ...digest(bytes),
    base: base === null ? null : digest(base),
    metrics: {
      'latency.p50': {
        restarts: [value, value * 1.001, value, value, value, value],
        reference: [1.3, 1.3, 1.3, 1.3, 1.3, 1.3],
        ratioToBase: base === null || step === null ? null : { log: step, se },
      },
    },
  };
}

/** A baseline of a chain of sessions s0, s1, … each measured against the one before. */
export function chainedBaseline(sessions: number, step = 0.001): Baseline {
  let baseline: Baseline | null = null;
  for (let index = 0; index < sessions; index++) {
    const base = index === 0 ? null : `s${index - 1}`;
    baseline = appendSessions(baseline, HEADER, [accepted({ session: `s${index}`, base, step })]);
  }
  if (baseline === null) throw new Error('a chain has at least one session');
  return baseline;
}
