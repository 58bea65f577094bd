import type { Trigger } from '../inputs/trigger.ts';
import type { Manifest } from '../measure/measurement.ts';

/**
 * Whom creep turns red (`creepRule` of the manifest): every push, schedule and launch; elsewhere only a change whose own
 * interval lies on the bad side of 0, because the line may have been crossed before it.
 */
export function creepRuleFor(trigger: Pick<Trigger, 'kind' | 'isLaunch'>): NonNullable<Manifest['creepRule']> {
  const isOnRecord = trigger.isLaunch || trigger.kind === 'push' || trigger.kind === 'schedule';
  return isOnRecord ? 'always' : 'if-own-change-worse';
}
