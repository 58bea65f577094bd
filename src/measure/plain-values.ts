import type { CaseGroup } from '../plan/plan.ts';
import { compareOutputs, type OutputValues } from './output-difference.ts';
import { arenaPeakBytes, type ProfiledKernel } from './profile.ts';
import { compareCoverage, timeOutside } from './provider-coverage.ts';

/** What one arm's unmeasured starts found of one case. */
export interface ArmFindings {
  readonly outputs: readonly OutputValues[];
  /** Null where the engine could not profile. */
  readonly kernels: readonly ProfiledKernel[] | null;
}

export interface PlainValues {
  readonly base: Record<string, number> | null;
  readonly head: Record<string, number>;
  /** Why head's outputs are broken where base's are not; null otherwise. */
  readonly fault: string | null;
  readonly notes: readonly string[];
}

/** Deterministic values of both arms of one case, compared plainly. Differences of outputs stand in head's. */
export function plainValues(group: CaseGroup, base: ArmFindings | null, head: ArmFindings): PlainValues {
  const outputs = base ? compareOutputs(base.outputs, head.outputs) : { metrics: {}, fault: null, notes: [] };
  const profiled = head.kernels && (!base || base.kernels) ? head.kernels : null;
  const coverage = profiled ? compareCoverage(group.provider, base?.kernels ?? null, profiled) : null;
  const away = profiled ? timeOutside(group.provider, profiled) : 0;
  return {
    base: base
      ? { ...sizeOf(group.base), ...arenaOf(profiled ? base.kernels : null), ...coverageOf(coverage?.base ?? null) }
      : null,
    head: {
      ...sizeOf(group.head),
      ...arenaOf(profiled),
      ...coverageOf(coverage?.head ?? null),
      ...outputs.metrics,
    },
    fault: outputs.fault,
    notes: [
      ...outputs.notes,
      ...(profiled ? [] : ['the engine could not profile this model: no arena memory, no provider coverage']),
      ...(coverage && base && coverage.newlyOutside.length > 0
        ? [
            `operators newly outside ${group.provider}: ${coverage.newlyOutside.join(', ')}${around(coverage.copiedFor)}`,
          ]
        : []),
      ...(away > 0.005 ? [`${Math.round(away * 100)} % of kernel time in head is outside ${group.provider}`] : []),
    ],
  };
}

function around(operators: readonly string[]): string {
  return operators.length > 0 ? ` (copies around ${operators.join(', ')})` : '';
}

function sizeOf(arm: CaseGroup['base']): Record<string, number> {
  return arm ? { 'model.size': arm.bytes } : {};
}

function arenaOf(kernels: readonly ProfiledKernel[] | null): Record<string, number> {
  const peak = kernels ? arenaPeakBytes(kernels) : null;
  return peak === null ? {} : { 'memory.arena.peak': peak };
}

function coverageOf(share: number | null): Record<string, number> {
  return share === null ? {} : { 'ep.coverage': share };
}
