import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Verdict } from '../../src/verdict/verdict.ts';

/** What a trial plants, and so how it must end. */
export type Kind = 'planted' | 'A/A';

/** One comparison by the built command, as it ended. */
export interface Trial {
  readonly kind: Kind;
  readonly isRight: boolean;
  readonly outcome: Verdict['outcome'];
  readonly p50: string;
  readonly change: number | null;
  readonly p95: string;
  readonly memory: string;
  readonly restarts: number;
  readonly durationS: number;
  /** Why the outcome is not the expected one, in the verdict's own words; empty where it is. */
  readonly why: readonly string[];
}

export interface MeasureCall {
  /** The built `cli.js`. */
  readonly cli: string;
  readonly base: string;
  readonly head: string;
  readonly config: string;
  readonly engine: string;
  readonly out: string;
  /** Exactly so many restarts; null until decided. */
  readonly restarts: number | null;
}

const run = promisify(execFile);
const MAX_OUTPUT = 2 ** 26;

/** `measure HEAD --against BASE` in a process of its own. @throws where it ends without a verdict. */
export async function measureAgainst(call: MeasureCall): Promise<Verdict> {
  const options = ['--against', call.base, '--config', call.config, '--out', call.out, '--provider', 'cpu', '--json'];
  const restarts = call.restarts === null ? [] : ['--restarts', String(call.restarts)];
  const env = { ...process.env, MODEL_GATE_ONNXRUNTIME_PATH: call.engine };
  const args = [call.cli, 'measure', call.head, ...options, ...restarts];
  const { stdout } = await run(process.execPath, args, { env, maxBuffer: MAX_OUTPUT }).catch((thrown) => {
    // Exit code 2 is a verdict too: no verdict.
    if (thrown.code === 2 && thrown.stdout) return { stdout: String(thrown.stdout) };
    throw new Error(`measure ended with ${thrown.code}: ${thrown.stderr}`);
  });
  return JSON.parse(stdout);
}

/** A planted slow-down must fail by its latency; two copies of one file must pass. */
export function judgeTrial(kind: Kind, verdict: Verdict): Trial {
  const row = (metric: string) => verdict.rows.find((entry) => entry.metric === metric);
  const p50 = row('latency.p50');
  const isRight =
    kind === 'A/A' ? verdict.outcome === 'pass' : verdict.outcome === 'fail' && p50?.status === 'regressed';
  const open = verdict.rows.filter(({ role, status }) => role === 'gated' && status !== 'pass');
  return {
    kind,
    isRight,
    outcome: verdict.outcome,
    p50: p50?.status ?? 'absent',
    change: p50?.change ?? null,
    p95: row('latency.p95')?.status ?? 'absent',
    memory: row('memory.host.peak')?.status ?? 'absent',
    restarts: Math.max(0, ...verdict.rows.map((entry) => entry.restarts ?? 0)),
    durationS: verdict.durationS,
    why: isRight ? [] : open.map(({ metric, status, reason }) => `${metric} ${status}: ${reason}`),
  };
}
