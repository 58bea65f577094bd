import type { ArmName } from '../plan/plan.ts';
import { shuffle, tossCoin } from './coin.ts';

/** Both arms taking turns once: A B B A or B A A B, so that a linear drift cancels inside the round. */
export type Round = readonly [ArmName, ArmName, ArmName, ArmName];

/** Turns of one case in one restart, a coin for each round. */
export function planRounds(seed: string, restart: number, caseId: string, rounds: number): Round[] {
  return Array.from({ length: rounds }, (_, round) =>
    tossCoin(seed, 'round', restart, caseId, round) === 'heads'
      ? ['base', 'head', 'head', 'base']
      : ['head', 'base', 'base', 'head'],
  );
}

/** Which arm starts first: a coin for each pair of restarts, the second of a pair the other way round. */
export function loadOrder(seed: string, groupId: string, restart: number): readonly [ArmName, ArmName] {
  const pair = Math.floor(restart / 2);
  const isBaseFirst = (tossCoin(seed, 'load', groupId, pair) === 'heads') === (restart % 2 === 0);
  return isBaseFirst ? ['base', 'head'] : ['head', 'base'];
}

/**
 * Order of a group's cases in one restart, both arms alike. The first visited case alone gives memory, so over
 * any stretch of as many restarts as there are cases each comes first once.
 */
export function caseOrder(seed: string, groupId: string, restart: number, caseIds: readonly string[]): string[] {
  const cycle = Math.floor(restart / caseIds.length);
  const first = shuffle(caseIds, seed, 'first', groupId, cycle)[restart % caseIds.length];
  const others = caseIds.filter((id) => id !== first);
  return [...(first === undefined ? [] : [first]), ...shuffle(others, seed, 'order', groupId, restart)];
}
