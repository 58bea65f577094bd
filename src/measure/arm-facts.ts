import type { ArmSpec } from '../plan/plan.ts';

export type Facts = Record<string, string | number | boolean | null>;

/** What an arm is beside its bytes, as shown under "what changed": runtime, provider and options that were set. */
export function armFactsOf(spec: ArmSpec, provider: string, engineVersion: string, threads: number): Facts {
  const { config = {}, threads: own, ...options } = spec.session;
  return {
    runtime: `onnxruntime-node ${engineVersion}`,
    provider,
    'session.threads': own ?? threads,
    ...prefixed('session', options),
    ...prefixed('session.config', config),
  };
}

function prefixed(prefix: string, values: Readonly<Record<string, string | number | boolean | undefined>>): Facts {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[`${prefix}.${name}`, value]])),
  );
}
