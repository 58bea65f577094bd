import type { ChangedModel } from './changes/change-set.ts';
import type { ReadArms } from './edges.ts';
import type { Machine } from './measure/bench.ts';
import { faultEntry } from './measure/fault-entry.ts';
import type { Entry, Fault, Note } from './measure/measurement.ts';
import type { CaseGroup } from './plan/plan.ts';
import { planGroups } from './plan/plan-groups.ts';

/** What is to be measured of a changed model, and head's entries of what can't be. */
export interface PlannedChange {
  readonly groups: readonly CaseGroup[];
  readonly faults: readonly Entry[];
  readonly notes: readonly Note[];
}

/** Where a GPU is there but fails, this is what would have been measured. */
const BLOCKED_DEFAULT = 'cuda';

/**
 * Plans the cases of one changed model. A provider whose device is absent makes its cases faults, whatever else is
 * measured; equal arms need no device.
 */
export function planChange(change: ChangedModel, arms: ReadArms, machine: Machine): PlannedChange {
  const { providers, batches } = change.headConfig;
  const byDefault = providers === undefined ? machine.chooseProvider(null) : null;
  const first = providers?.[0] ?? (byDefault && 'provider' in byDefault ? byDefault.provider : BLOCKED_DEFAULT);
  const onlyFault = (fault: Fault): PlannedChange => ({
    groups: [],
    faults: [faultEntry(change, first, batches?.[0] ?? 1, fault)],
    notes: [],
  });
  if (arms.kind === 'fault') return onlyFault(arms.fault);
  const plan = planGroups(arms.model, { defaultProvider: first, equalArms: 'unchanged' });
  if (plan.questions.length > 0)
    return onlyFault({
      kind: 'not-measured',
      reason: `how to feed the model is not known: ${plan.questions.join('; ')}`,
    });
  const blocked = plan.groups.flatMap((group) => {
    const choice = byDefault ?? machine.chooseProvider(group.provider);
    return group.unchanged || 'provider' in choice ? [] : [{ group, reason: choice.noVerdict }];
  });
  const groups = plan.groups.filter((group) => blocked.every((entry) => entry.group !== group));
  const isChosen = byDefault && 'provider' in byDefault && groups.some((group) => !group.unchanged);
  return {
    groups,
    faults: blocked.flatMap(({ group, reason }) =>
      group.cases.map(({ batch }) => faultEntry(change, group.provider, batch, { kind: 'not-measured', reason })),
    ),
    notes: isChosen && byDefault.note !== null ? [{ code: 'provider-default', text: byDefault.note }] : [],
  };
}
