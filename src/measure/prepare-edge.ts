import { join } from 'node:path';
import type { ArmName } from '../plan/plan.ts';
import { loadOrder } from './duet.ts';
import { readEmptyPeak } from './empty-session-edge.ts';
import type { PoolNeeds } from './feed-pool.ts';
import { planGroup } from './group-plan-edge.ts';
import { type GroupState, type PerArm, usesGpu, type Workshop } from './group-state.ts';
import { blameHead, describeFailure, faultOf } from './head-check-edge.ts';
import { readFreeBytes } from './machine-edge.ts';
import type { Fault } from './measurement.ts';
import type { Preparation } from './measurer.ts';
import { chooseMode, type ModeChoice } from './mode.ts';
import { storePool } from './pool-file-edge.ts';
import { readPoolNeeds } from './pool-needs-edge.ts';
import { PRIMING_FEEDS, planPool } from './pool-plan.ts';
import { failedPreparation } from './preparation.ts';
import { type Priming, primeArm } from './prime-edge.ts';
import { chooseSpinning } from './spinning.ts';
import { WorkerFailure } from './worker-failure.ts';

/** Primes, compares and profiles the staged arms, and fixes mode, effort and reachable metrics in `state`. */
export async function prepareGroup(shop: Workshop, state: GroupState): Promise<Preparation> {
  const needs = readPoolNeeds(state);
  await storePrimingPools(shop, state, needs);
  const primed = await primeArms(shop, state);
  if ('fault' in primed) return failedPreparation(shop, state.group, primed.fault);
  const arms = Object.values(primed.arms);
  state.emptyPeakBytes = await readEmptyPeak(shop, state);
  const choice = await chooseGroupMode(shop, state, arms);
  state.mode = choice.mode;
  const shares = arms.flatMap(({ cases }) => [...cases.values()].map(({ processorShare }) => processorShare));
  const spinning = chooseSpinning(state.group, shop.threads, shop.quotaCpus, shares);
  state.spinning = spinning.spinning;
  return planGroup(shop, state, primed.arms, needs, [choice.reason, spinning.reason]);
}

async function storePrimingPools(
  shop: Workshop,
  state: GroupState,
  needs: ReadonlyMap<string, readonly PoolNeeds[]>,
): Promise<void> {
  for (const spec of state.group.cases) {
    const size = planPool(spec, needs.get(spec.id) ?? [], PRIMING_FEEDS);
    const file = join(state.directory, 'pools', `prime-b${spec.batch}.bin`);
    state.primingPools.set(spec.id, await storePool(spec, size, file, shop.options.feedRoot ?? '.'));
  }
}

/** One solo start of each arm, in an order by coin; a failing arm gets the further starts that settle whose fault it is. */
async function primeArms(
  shop: Workshop,
  state: GroupState,
): Promise<{ readonly arms: PerArm<Priming> } | { readonly fault: Fault }> {
  const { group } = state;
  const arms: Partial<Record<ArmName, Priming>> = {};
  for (const arm of loadOrder(shop.options.seed, `prime ${group.id}`, 0)) {
    if (!group[arm]) continue;
    shop.options.onProgress?.({ group: group.id, step: 'priming', detail: arm });
    try {
      arms[arm] = await primeArm(shop, state, arm);
    } catch (thrown) {
      if (!(thrown instanceof WorkerFailure)) throw thrown;
      shop.options.onProgress?.({ group: group.id, step: 'confirming', detail: arm });
      const fault = arm === 'head' ? await blameHead(shop, state, thrown, 1) : null;
      if (fault) return { fault };
      const second = await primeAgain(shop, state, arm);
      if ('fault' in second) return second;
      arms[arm] = second.priming;
    }
  }
  return { arms };
}

async function primeAgain(
  shop: Workshop,
  state: GroupState,
  arm: ArmName,
): Promise<{ readonly priming: Priming } | { readonly fault: Fault }> {
  try {
    return { priming: await primeArm(shop, state, arm) };
  } catch (thrown) {
    if (!(thrown instanceof WorkerFailure)) throw thrown;
    const fault = faultOf('not-measured', `${arm} does not run: ${describeFailure(state, thrown)}`, thrown);
    return { fault: { ...fault, arm } };
  }
}

async function chooseGroupMode(shop: Workshop, state: GroupState, arms: readonly Priming[]): Promise<ModeChoice> {
  const { options } = shop;
  if (options.mode) return { mode: options.mode, reason: 'the mode was asked for' };
  const gpu = usesGpu(state.group.provider) ? options.gpu : null;
  return chooseMode({
    hostFreeBytes: readFreeBytes(),
    hostPeakBytes: arms.map(({ hostPeakBytes }) => hostPeakBytes),
    sameRuntime: state.group.base?.runtimeDir === state.group.head.runtimeDir,
    gpu: gpu && {
      exclusive: gpu.exclusive,
      freeBytes: await gpu.freeBytes(),
      peakBytes: arms.flatMap(({ gpuPeakBytes }) => (gpuPeakBytes === null ? [] : [gpuPeakBytes])),
    },
  });
}
