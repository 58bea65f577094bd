import { join } from 'node:path';
import type { ArmName, CaseSpec } from '../plan/plan.ts';
import { armFactsOf } from './arm-facts.ts';
import { planCase } from './case-plan.ts';
import { memoryCaseOf } from './duet.ts';
import type { PoolNeeds } from './feed-pool.ts';
import { chooseFetch } from './fetch.ts';
import { writeFloorModel } from './floor-model-edge.ts';
import { armsOf, type CaseState, type GroupState, type PerArm, usesGpu, type Workshop } from './group-state.ts';
import type { Preparation } from './measurer.ts';
import { type PlainValues, plainValues } from './plain-values.ts';
import { storePool } from './pool-file-edge.ts';
import { modeNotes } from './preparation.ts';
import type { PrimedCase, Priming } from './prime-edge.ts';
import { profileArm } from './profile-pass-edge.ts';
import { type Reach, reachOf } from './reach.ts';
import { isStagedOnce, STAGED_ONCE } from './staging.ts';

/** Plans every case from the priming starts, profiles both arms, and writes what a restart needs into `state`. */
export async function planGroup(
  shop: Workshop,
  state: GroupState,
  primed: PerArm<Priming>,
  needs: ReadonlyMap<string, readonly PoolNeeds[]>,
  reasons: readonly (string | null)[],
): Promise<Preparation> {
  const { group } = state;
  const startMs = Object.values(primed).reduce((sum, arm) => sum + arm.startMs, 0);
  const reach = new Map<string, Reach>();
  for (const spec of group.cases) {
    const cases = casesOf(primed, spec);
    const latencyMs = Math.max(...Object.values(cases).map((found) => found.latencyMs));
    const { effort, poolSize } = planCase(shop, state, spec, { latencyMs, startMs, needs: needs.get(spec.id) ?? [] });
    const fetch = fetchOf(group.fetch, cases);
    const device = usesGpu(group.provider) && shop.options.gpu ? 'gpu' : 'host';
    const isLargest = spec.id === memoryCaseOf(group.cases);
    const reached = reachOf(effort, state.mode, device, isLargest ? 'read-here' : 'read-in-largest-batch');
    const metrics = new Set(reached.metrics);
    reach.set(spec.id, reached);
    const file = join(state.directory, 'pools', `b${spec.batch}.bin`);
    const pool = await storePool(spec, poolSize, file, shop.options.feedRoot ?? '.');
    const floors = writeFloors(state, spec, cases, fetch);
    state.cases.set(spec.id, { spec, effort, discard: null, latencyMs, pool, fetch, floors, metrics, logRatios: [] });
  }
  const plain = await comparePlainly(shop, state, primed);
  const entries = [...state.cases.values()];
  const values = [...plain.values()];
  const fault = values.find((entry) => entry.fault !== null)?.fault ?? null;
  const base = group.base && primed.base;
  return {
    mode: state.mode,
    metrics: Object.fromEntries(
      [...reach].map(([id, { metrics }]) => [id, [...metrics, ...Object.keys(plain.get(id)?.head ?? {})]]),
    ),
    unreachable: [...reach].flatMap(([id, { unreachable }]) => unreachable.map((entry) => ({ case: id, ...entry }))),
    secondsPerRestart: (startMs + entries.reduce((sum, { effort }) => sum + effort.restartMs, 0)) / 1000,
    notes: [
      ...shop.notes,
      ...modeNotes(state.mode, [...reasons, isStagedOnce(group) ? STAGED_ONCE : null]),
      ...[...new Set(values.flatMap(({ notes }) => notes))].map((text) => ({ code: 'arms-differ', text })),
    ],
    ...(usesGpu(group.provider) ? {} : { processorShare: leastShare(primed) }),
    plain: Object.fromEntries([...plain].map(([id, { base: before, head }]) => [id, { base: before, head }])),
    fault: fault === null ? null : { kind: 'head-broken', reason: fault },
    armFacts: {
      base: base ? armFactsOf(group.base, group.provider, base.engineVersion, shop.threads) : null,
      head: armFactsOf(group.head, group.provider, primed.head?.engineVersion ?? 'unknown', shop.threads),
    },
  };
}

function leastShare(primed: PerArm<Priming>): number {
  const shares = Object.values(primed).flatMap(({ cases }) => [...cases.values()].map((one) => one.processorShare));
  return Math.min(...shares);
}

function casesOf(primed: PerArm<Priming>, spec: CaseSpec): PerArm<PrimedCase> {
  const found: Partial<Record<ArmName, PrimedCase>> = {};
  for (const [arm, priming] of Object.entries(primed) as [ArmName, Priming][]) {
    const primedCase = priming.cases.get(spec.id);
    if (primedCase) found[arm] = primedCase;
  }
  return found;
}

function fetchOf(policy: 'smallest' | 'all', cases: PerArm<PrimedCase>): PerArm<readonly string[]> {
  const { base, head } = chooseFetch(policy, cases.base?.outputs ?? null, cases.head?.outputs ?? []);
  return base ? { base, head } : { head };
}

function writeFloors(
  state: GroupState,
  spec: CaseSpec,
  cases: PerArm<PrimedCase>,
  fetch: PerArm<readonly string[]>,
): PerArm<string> {
  const floors: Partial<Record<ArmName, string>> = {};
  for (const arm of armsOf(state.group)) {
    const fetched = (cases[arm]?.outputs ?? []).filter(({ name }) => fetch[arm]?.includes(name));
    floors[arm] = writeFloorModel(state.directory, arm, spec, fetched);
  }
  return floors;
}

async function comparePlainly(
  shop: Workshop,
  state: GroupState,
  primed: PerArm<Priming>,
): Promise<ReadonlyMap<string, PlainValues>> {
  const kernels: Partial<Record<ArmName, Awaited<ReturnType<typeof profileArm>>>> = {};
  for (const arm of armsOf(state.group)) {
    shop.options.onProgress?.({ group: state.group.id, step: 'profiling', detail: arm });
    kernels[arm] = await profileArm(shop, state, arm);
  }
  const findings = (arm: ArmName, entry: CaseState) => ({
    outputs: primed[arm]?.cases.get(entry.spec.id)?.outputs ?? [],
    kernels: kernels[arm]?.get(entry.spec.id) ?? null,
  });
  return new Map(
    [...state.cases].map(([id, entry]) => [
      id,
      plainValues(state.group, state.group.base ? findings('base', entry) : null, findings('head', entry)),
    ]),
  );
}
