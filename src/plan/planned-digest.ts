import { createHash } from 'node:crypto';
import type { ArmSpec, CaseGroup, CaseSpec } from './plan.ts';

/** Hash of all that decides what a case measures: both arms' bytes, runtimes and options, the work, and how it is fed. */
export function plannedDigest(group: CaseGroup, spec: CaseSpec): string {
  const { provider, variant, comparison, base, head, builds, fetch, pool } = group;
  const arms = [base, head, ...(builds?.base ?? []), ...(builds?.head ?? [])].map((arm) => arm && armText(arm));
  const text = JSON.stringify([spec.id, spec.workload, provider, variant, comparison, fetch, pool, arms]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function armText({ sha256, runtimeDir, session }: ArmSpec): string {
  return JSON.stringify([sha256, runtimeDir, Object.entries(session).sort()]);
}
