import type { ArmName, CaseSpec } from '../plan/plan.ts';
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

/** The case whose memory is read: the largest batch decides what a device must hold. */
export function memoryCaseOf(cases: readonly CaseSpec[]): string | null {
  const [largest] = [...cases].sort((a, b) => b.batch - a.batch);
  return largest?.id ?? null;
}

/**
 * Order of a group's cases in one restart, both arms alike: the one whose memory is read comes first, before others
 * touch memory; the rest in seeded order.
 */
export function caseOrder(
  seed: string,
  groupId: string,
  restart: number,
  caseIds: readonly string[],
  first: string | null,
): string[] {
  const others = caseIds.filter((id) => id !== first);
  return [...caseIds.filter((id) => id === first), ...shuffle(others, seed, 'order', groupId, restart)];
}
