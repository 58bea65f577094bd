import type { BaselineNote } from '../baseline/choose-reference.ts';
import type { Trigger } from '../inputs/trigger.ts';
import type { Better } from '../metrics/metric-table.ts';

/** The paired row of the same case and metric: what this change did by itself. */
export interface OwnChange {
  /** In the value's own direction; an unbounded end is null. */
  readonly interval: readonly [number | null, number | null] | null;
  readonly better: Better;
}

export interface CreepBlame {
  readonly role: 'gated' | 'advisory';
  readonly note: BaselineNote | null;
}

/**
 * Whom a creep row turns red: pushes, schedules and launches; elsewhere only a change whose own interval lies on the bad
 * side of 0. An innocent one gets a note where the line is crossed.
 */
export function blameForCreep(
  row: { readonly role: 'gated' | 'advisory' | 'reported'; readonly status: string; readonly reason: string },
  trigger: Pick<Trigger, 'kind' | 'isLaunch'>,
  own: OwnChange | null,
): CreepBlame {
  const { role, status } = row;
  if (role !== 'gated') return { role: 'advisory', note: null };
  if (trigger.isLaunch || trigger.kind === 'push' || trigger.kind === 'schedule' || isGuilty(own)) {
    return { role, note: null };
  }
  if (status !== 'regressed') return { role: 'advisory', note: null };
  const text = `accepted changes before this one have crossed the creep margin (${row.reason}); this change adds nothing proven`;
  return { role: 'advisory', note: { code: 'creep-crossed-before', text } };
}

function isGuilty(own: OwnChange | null): boolean {
  if (own?.interval == null) return false;
  const [low, high] = own.interval;
  return own.better === 'lower' ? low !== null && low > 0 : high !== null && high < 0;
}
