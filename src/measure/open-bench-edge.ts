import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoVerdictError } from '../errors.ts';
import type { CaseGroup } from '../plan/plan.ts';
import type { Bench } from './bench.ts';
import { benchNotes } from './bench-notes.ts';
import { askedBy, cardOf } from './card-choice.ts';
import { describedMeasurer, type GroupDescription } from './described-measurer.ts';
import { rememberClocks } from './gpu-clocks.ts';
import { lockClocks } from './gpu-clocks-edge.ts';
import type { GpuHealth } from './gpu-health.ts';
import { lockCaveat } from './lock.ts';
import { createMeasurer } from './measurer-edge.ts';
import { chooseProvider } from './provider-check.ts';
import type { Workbench, WorkbenchOptions } from './workbench-edge.ts';

/**
 * Locks the card of these groups, tries their providers, holds its clocks where asked, and builds their measurer.
 * Whatever was taken is given back if a later step fails.
 */
export async function openBench(
  all: readonly CaseGroup[],
  workbench: Workbench,
  options: WorkbenchOptions,
): Promise<Bench> {
  const groups = all.filter((group) => !group.unchanged);
  if (groups.length === 0) return IDLE_BENCH;
  const gpu = await findCard(groups, workbench);
  const cleanUps: (() => Promise<void>)[] = [];
  const release = async () => {
    for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  };
  try {
    const lock = gpu && (await workbench.lockCard(gpu));
    if (lock) cleanUps.push(lock.release);
    const descriptions = await describeGroups(groups, workbench);
    const watched = gpu && rememberClocks(gpu);
    const clocks = gpu && (await holdClocks(gpu, options));
    if (clocks) cleanUps.push(clocks.release);
    const stagingRoot = await mkdtemp(join(options.env['RUNNER_TEMP'] ?? tmpdir(), 'model-gate-'));
    cleanUps.push(() => rm(stagingRoot, { recursive: true, force: true }));
    const measurer = createMeasurer({
      workerFile: join(options.distFolder, 'measure-worker.js'),
      stagingRoot,
      seed: options.session,
      runtimeDir: (await workbench.findRuntime()).dir,
      feedRoot: options.feedRoot,
      environment: options.env,
      gpu: watched?.gpu ?? null,
      signal: options.signal,
      ...(options.onProgress ? { onProgress: options.onProgress } : {}),
    });
    const caveats = gpu ? [lock?.caveat, lockCaveat(options.lockDir === null, options.env)] : [];
    return {
      measurer: describedMeasurer(
        measurer,
        (group) => descriptions.get(group.id) ?? { refusal: null, engines: {} },
        () => gpu?.memoryDefinition() ?? null,
      ),
      machineNotes: () =>
        benchNotes({
          providers: groups.map(({ provider }) => provider),
          gpu,
          caveats: caveats.filter((text) => typeof text === 'string'),
          clocks: clocks && { ...clocks.asked, seenMHz: watched?.seenMHz ?? [] },
        }),
      seenClocksMHz: () => watched?.seenMHz ?? [],
      release,
    };
  } catch (thrown) {
    await release();
    throw thrown;
  }
}

/** Where every arm equals its base there is nothing to find, lock or install. */
const IDLE_BENCH: Bench = {
  measurer: {
    prepare: async ({ id }) => {
      throw new NoVerdictError(`${id} was not among the groups to measure`);
    },
    restart: async () => ({ pairs: {}, notes: [], fault: null }),
    finish: async () => {},
  },
  machineNotes: () => [],
  seenClocksMHz: () => [],
  release: async () => {},
};

async function findCard(groups: readonly CaseGroup[], workbench: Workbench): Promise<GpuHealth | null> {
  const deviceId = cardOf(groups.flatMap(askedBy));
  if (deviceId === null) return null;
  const probe = await workbench.probe(deviceId);
  if ('gpu' in probe) return probe.gpu;
  for (const { provider } of groups) {
    const choice = chooseProvider(provider, deviceId, probe.absence);
    if ('noVerdict' in choice) throw new NoVerdictError(choice.noVerdict);
  }
  return null;
}

/** Each arm's engine, and whether it has the group's provider; a refused option stops the job. */
async function describeGroups(
  groups: readonly CaseGroup[],
  workbench: Workbench,
): Promise<ReadonlyMap<string, GroupDescription>> {
  const descriptions = new Map<string, GroupDescription>();
  for (const group of groups) {
    const head = await workbench.findRuntime(group.head.runtimeDir);
    const base = group.base && (await workbench.findRuntime(group.base.runtimeDir));
    const refusal = await workbench.tryProvider(group.provider, group.head.session, group.head.runtimeDir).then(
      () => null,
      (thrown) => {
        if (thrown instanceof NoVerdictError) return thrown;
        throw thrown;
      },
    );
    descriptions.set(group.id, { refusal, engines: { head, ...(base ? { base } : {}) } });
  }
  return descriptions;
}

/** Asks for the clock where the job wants it held; null where it does not. */
async function holdClocks(gpu: GpuHealth, { lockClocksMHz: mhz, env }: WorkbenchOptions) {
  if (mhz === null) return null;
  const lock = await lockClocks({ uuid: gpu.lockKey, mhz, env });
  return { asked: { mhz, refused: lock.refused }, release: () => lock.release() };
}
