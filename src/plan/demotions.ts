import { knownSpread } from '../baseline/known-spread.ts';
import { baselineIn, type Histories } from '../baseline/model-history.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import { isGateAsked, resolveRowPolicy } from '../inputs/row-policy.ts';
import { METRICS } from '../metrics/metric-table.ts';
import type { PlannedRow } from './manifest.ts';
import type { CaseGroup } from './plan.ts';

/**
 * Rows that can't decide on this machine: a restart's spread, known from the last sessions of its class, exceeds the
 * margin. They are reported from the start unless the config says `gate: true`; DESIGN §5.
 */
export function demotionsOf(groups: readonly CaseGroup[], histories: Histories, config: GateConfig): PlannedRow[] {
  const cases = groups
    .filter((group) => group.comparison === 'paired' && !group.unchanged)
    .flatMap((group) => group.cases.map((spec) => ({ model: group.model, case: spec.id })));
  return cases.flatMap(({ model, case: caseId }) => {
    const baseline = baselineIn(histories, model);
    if (baseline === null) return [];
    return [...METRICS.values()].flatMap(({ id, unit, judge }): PlannedRow[] => {
      const row = { model, case: caseId, metric: id, unit };
      const policy = resolveRowPolicy(config, row);
      if (judge !== 'signed-rank' || policy.marginRole !== 'gated' || isGateAsked(config, row)) return [];
      const spread = knownSpread(baseline, caseId, id);
      if (spread === null || spread <= policy.margin.fraction) return [];
      const reason = `shown, not judged: its restarts are known to spread by ${percent(spread)}, more than its margin of ${percent(policy.margin.fraction)}; quieten the machine, raise the margin, or insist with \`gate: true\``;
      return [{ case: caseId, metric: id, role: 'reported', reason }];
    });
  });
}

/** Below this share of a processor, somebody else was on it. */
const OWN_PROCESSOR = 0.9;

/**
 * Tails that would measure the neighbours: on a CPU whose processors others used while the case was prepared, p95 and
 * p99 are reported from the start unless the config says `gate: true`.
 */
export function crowdedDemotions(
  cases: readonly { readonly model: string; readonly case: string; readonly processorShare: number }[],
  config: GateConfig,
): PlannedRow[] {
  return cases
    .filter(({ processorShare }) => processorShare < OWN_PROCESSOR)
    .flatMap(({ model, case: caseId, processorShare }) =>
      TAILS.flatMap((metric): PlannedRow[] => {
        const row = { model, case: caseId, metric, unit: 'ms' } as const;
        if (resolveRowPolicy(config, row).marginRole !== 'gated' || isGateAsked(config, row)) return [];
        const left = `${Math.round(processorShare * 100)} %`;
        const reason = `shown, not judged: others used the processors before measuring began (${left} of one was left), so tails measure them; quieten the machine, or insist with \`gate: true\``;
        return [{ case: caseId, metric, role: 'reported', reason }];
      }),
    );
}

const TAILS = ['latency.p95', 'latency.p99'] as const;

function percent(fraction: number): string {
  return `${Number((100 * fraction).toPrecision(2))} %`;
}
