import { judgeThrottle } from './cgroup.ts';
import { readThrottle } from './cgroup-edge.ts';
import { type GroupState, usesGpu, type Workshop } from './group-state.ts';
import type { RestartConditions } from './restart-result.ts';
import type { CaseTurns } from './turns-edge.ts';

/** Ends the watch begun by `watchConditions`, while the workers still live. */
export type Settle = (pids: readonly number[], turns: readonly CaseTurns[]) => Promise<RestartConditions>;

const OWN_PROCESSOR = 0.9;

/** Reads quota and card before the turns; the returned function reads them again and judges. Nothing polls between. */
export async function watchConditions(shop: Workshop, state: GroupState): Promise<Settle> {
  const gpu = usesGpu(state.group.provider) ? shop.options.gpu : null;
  const throttleBefore = readThrottle();
  const gpuBefore = await gpu?.snapshot();
  return async (pids, turns) => {
    const throttled = judgeThrottle(throttleBefore, readThrottle());
    const health = gpu && gpuBefore ? await gpu.judge(gpuBefore, pids) : null;
    if (health) state.healths.push(health);
    const share = Math.min(...turns.map(({ processorShare }) => processorShare));
    return {
      faults: [...(throttled === null ? [] : [throttled]), ...(health && !health.valid ? health.notes : [])],
      remarks: [
        ...(share < OWN_PROCESSOR && state.group.provider === 'cpu'
          ? [`others used the processors: ${Math.round(share * 100)} % of one was left`]
          : []),
        ...(health?.valid ? health.notes : []),
      ],
    };
  };
}
