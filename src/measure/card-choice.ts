import { NoVerdictError } from '../errors.ts';
import type { CaseGroup } from '../plan/plan.ts';
import type { AskedDevice } from './bench.ts';
import { mayRunOnNvidia, needsNvidia } from './provider-check.ts';

/**
 * Number of the one card that a job measures, as `session.device-id` counts it; null where no model may run on one.
 * Throws NoVerdictError where several are named: a job locks and watches one.
 */
export function cardOf(asked: readonly AskedDevice[]): number | null {
  const choosers = asked.filter(({ providers }) => providers === undefined || providers.some(needsNvidia));
  const ids = [...new Set(choosers.map(({ session }) => session?.['device-id'] ?? 0))].sort((a, b) => a - b);
  const [first, ...others] = ids;
  if (others.length > 0)
    throw new NoVerdictError(
      `session.device-id names GPUs ${ids.join(' and ')}, but a job measures one (0 where nothing is set): give each GPU a job of its own`,
    );
  return first ?? (asked.some(({ providers }) => providers?.some(mayRunOnNvidia)) ? 0 : null);
}

/** What a group's arms ask to run on. */
export function askedBy(group: CaseGroup): AskedDevice[] {
  const arms = group.base ? [group.base, group.head] : [group.head];
  return arms.map(({ session }) => ({ providers: [group.provider], session }));
}

/** The group as workers see it: they are shown the chosen card alone, as device 0. */
export function onShownCard(group: CaseGroup): CaseGroup {
  if (!needsNvidia(group.provider)) return group;
  const shown = <Arm extends CaseGroup['head']>(arm: Arm): Arm => {
    const { 'device-id': _, ...session } = arm.session;
    return { ...arm, session };
  };
  const { base, head, builds } = group;
  return {
    ...group,
    base: base && shown(base),
    head: shown(head),
    ...(builds ? { builds: { base: builds.base.map(shown), head: builds.head.map(shown) } } : {}),
  };
}
