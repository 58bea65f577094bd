import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describeThrown, NoVerdictError } from '../errors.ts';
import type { CaseGroup } from '../plan/plan.ts';
import { readCgroupLimits } from './cgroup-edge.ts';
import { canPin, readCpuGrant } from './cpu-grant-edge.ts';
import { DEFAULT_EFFORT } from './effort.ts';
import { needsLongChunks } from './gpu-health.ts';
import type { GroupState, Workshop } from './group-state.ts';
import type { Measurer } from './measurer.ts';
import { DEFAULT_TIMEOUTS, type MeasurerOptions } from './measurer-options.ts';
import { prepareGroup } from './prepare-edge.ts';
import { runRestart } from './restart-edge.ts';
import { runSoloPass } from './solo-pass-edge.ts';
import { stageArms } from './staging-edge.ts';
import { chooseCores, chooseThreads } from './threads.ts';

/** The real measurer: stages both arms, runs them in worker processes against each other, and cleans up behind them. */
export function createMeasurer(options: MeasurerOptions): Measurer {
  const shop = openWorkshop(options);
  const states = new Map<string, GroupState>();
  const stateOf = (group: CaseGroup): GroupState => {
    const state = states.get(group.id);
    if (!state) throw new NoVerdictError(`${group.id} was not prepared`);
    return state;
  };
  return {
    prepare: async (group) => {
      options.signal?.throwIfAborted();
      options.onProgress?.({ group: group.id, step: 'staging', detail: group.path });
      const state = stageGroup(shop, group);
      states.set(group.id, state);
      return prepareGroup(shop, state);
    },
    restart: async (group, index, caseIds) => {
      options.signal?.throwIfAborted();
      options.onProgress?.({ group: group.id, step: 'restart', detail: String(index + 1) });
      return runRestart(shop, stateOf(group), index, caseIds);
    },
    needsSoloPass: (group) => needsLongChunks(stateOf(group).healths),
    soloPass: async (group, caseIds) => {
      options.signal?.throwIfAborted();
      return runSoloPass(shop, stateOf(group), caseIds);
    },
    finish: async (group) => {
      const state = states.get(group.id);
      states.delete(group.id);
      if (state) rmSync(state.directory, { recursive: true, force: true });
    },
  };
}

function openWorkshop(options: MeasurerOptions): Workshop {
  const grant = readCpuGrant();
  const threads = chooseThreads(grant);
  const cores = chooseCores(grant, threads);
  const pinned = cores !== null && canPin(cores) ? cores : null;
  const limits = readCgroupLimits();
  return {
    options,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    effort: { ...DEFAULT_EFFORT, ...options.effort },
    threads,
    quotaCpus: limits.cpus,
    quotaPeriodMs: limits.periodMs ?? 0,
    launcher: [...(pinned ? ['taskset', '-c', pinned.join(',')] : []), ...(options.launcher ?? [])],
    emptyPeaks: new Map(),
    notes: [],
  };
}

/** Writes the group's files into a folder of its own; throws NoVerdictError where there is no room or a file is gone. */
function stageGroup(shop: Workshop, group: CaseGroup): GroupState {
  const directory = mkdtempSync(join(shop.options.stagingRoot, 'group-'));
  try {
    const { base, head } = group;
    return {
      group,
      directory,
      files: stageArms(directory, { ...(base ? { base } : {}), head }, 0),
      epoch: 0,
      mode: base ? 'duet' : 'pairs',
      spinning: 'engine-default',
      emptyPeakBytes: 0,
      primingPools: new Map(),
      cases: new Map(),
      healths: [],
      confirmations: 0,
    };
  } catch (thrown) {
    rmSync(directory, { recursive: true, force: true });
    throw new NoVerdictError(
      `the arms' files could not be staged in ${shop.options.stagingRoot}: ${describeThrown(thrown)}`,
    );
  }
}
