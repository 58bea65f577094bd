import type { CaseGroup } from '../plan/plan.ts';
import { armsOf } from './group-state.ts';

/** Below this share of a processor in warm-up, somebody else was on it. */
const OWN_PROCESSOR = 0.9;

/** Whether idle threads may spin as the engine does by default, and why not. */
export interface SpinningChoice {
  readonly spinning: 'engine-default' | 'off';
  readonly reason: string | null;
}

/**
 * Spinning is part of the product; it is turned off only where granted cores are shared (second-look 14). A provider
 * with a device leaves processors idle by itself, so there the shares tell nothing.
 */
export function chooseSpinning(
  group: CaseGroup,
  threads: number,
  quotaCpus: number | null,
  processorShares: readonly number[],
): SpinningChoice {
  const isUpToUs =
    group.provider === 'cpu' &&
    armsOf(group).some((arm) => {
      const session = group[arm]?.session;
      return session?.spinning === undefined && (session?.threads ?? threads) > 1;
    });
  const share = Math.min(...processorShares);
  if (!isUpToUs || (quotaCpus === null && share >= OWN_PROCESSOR)) return { spinning: 'engine-default', reason: null };
  const cause =
    quotaCpus === null
      ? `others used its processors: ${Math.round(share * 100)} % of one was left`
      : `a quota of ${quotaCpus} processors is shared by all threads`;
  return { spinning: 'off', reason: `idle threads do not spin (session.intra_op.allow_spinning=0): ${cause}` };
}
