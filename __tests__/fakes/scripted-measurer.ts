import { REFERENCE_ROUNDS } from '../../src/baseline/reference-workload.ts';
import type { Restart } from '../../src/measure/measurement.ts';
import type { Measurer, Preparation } from '../../src/measure/measurer.ts';
import type { ArmSpec, CaseGroup } from '../../src/plan/plan.ts';

/** What the scripted machine does. */
export interface MeasurerScript {
  /** True latency of a model on a quiet machine, ms, by the digest of its bytes. */
  readonly latencyMs: (sha256: string) => number;
  /** Speed of the machine today: both arms and the reference take this many times as long. */
  readonly machine: number;
  /** Standard deviation of one restart's log time. */
  readonly spread: number;
  readonly seed: number;
  /** A reason where this arm does not run. */
  readonly broken?: (group: CaseGroup, arm: 'base' | 'head') => string | null;
}

/** A measurer whose figures are scripted, and what it was asked. */
export interface ScriptedMeasurer extends Measurer {
  readonly asked: { readonly prepared: string[]; readonly restarts: string[] };
}

const REFERENCE_MS = 1.3;
const ROUNDS = 4;

/** The measurer of the seam, without processes: times are drawn from a generator of its own, equal on every machine. */
export function scriptedMeasurer(script: MeasurerScript): ScriptedMeasurer {
  const normal = normals(script.seed);
  const asked = { prepared: [] as string[], restarts: [] as string[] };
  const value = (arm: ArmSpec) => script.latencyMs(arm.sha256) * script.machine * Math.exp(script.spread * normal());
  const restart = (index: number, arm: ArmSpec, hasReference: boolean): Restart => {
    const latency = value(arm);
    const reference = REFERENCE_MS * script.machine * Math.exp((script.spread / 2) * normal());
    return {
      index,
      valid: true,
      notes: [],
      values: { 'latency.p50': latency },
      rounds: {
        'latency.p50': Array<number>(ROUNDS).fill(latency),
        ...(hasReference ? { [REFERENCE_ROUNDS]: Array<number>(ROUNDS).fill(reference) } : {}),
      },
    };
  };
  return {
    asked,
    prepare: async (group) => {
      asked.prepared.push(group.id);
      return preparationOf(group, script);
    },
    restart: async (group, index, caseIds) => {
      asked.restarts.push(group.id);
      const pair = () => ({
        base: group.base && restart(index, group.base, false),
        head: restart(index, group.head, group.reference === true),
      });
      return { pairs: Object.fromEntries(caseIds.map((id) => [id, pair()])), notes: [], fault: null };
    },
    finish: async () => {},
  };
}

function preparationOf(group: CaseGroup, { broken }: MeasurerScript): Preparation {
  const arm = (['base', 'head'] as const).find((name) => group[name] && broken?.(group, name));
  const ids = group.cases.map((spec) => spec.id);
  const facts = { runtime: 'onnxruntime-node 1.30.0', provider: group.provider };
  return {
    mode: 'duet',
    metrics: Object.fromEntries(ids.map((id) => [id, ['latency.p50']])),
    unreachable: [],
    secondsPerRestart: 0,
    notes: [],
    plain: {},
    fault: arm ? { kind: 'not-measured', arm, reason: `${arm} does not run: ${broken?.(group, arm)}` } : null,
    armFacts: { base: group.base && facts, head: facts },
  };
}

/** Standard normal numbers from a seed: Box and Muller on Lehmer's generator. */
function normals(seed: number): () => number {
  let state = (seed * 7919 + 13) % 2_147_483_647;
  const uniform = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  for (let i = 0; i < 10; i++) uniform();
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}
