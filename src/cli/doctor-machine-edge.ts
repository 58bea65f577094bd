import { tmpdir } from 'node:os';
import { readFiles, summarise } from '../baseline/baseline-overview.ts';
import { openDirectoryStore } from '../baseline/directory-store-edge.ts';
import { describeThrown } from '../errors.ts';
import type { AskedDevice } from '../measure/bench.ts';
import { cardOf } from '../measure/card-choice.ts';
import { canPin, readCpuGrant } from '../measure/cpu-grant-edge.ts';
import type { GpuHealth } from '../measure/gpu-health.ts';
import { defaultLockDir, lockCaveat } from '../measure/lock.ts';
import { refuseDriver } from '../measure/provider-check.ts';
import { chooseCores, chooseThreads } from '../measure/threads.ts';
import type { Workbench } from '../measure/workbench-edge.ts';
import type {
  DoctorBaseline,
  DoctorEngine,
  DoctorGpu,
  DoctorProvider,
  DoctorReport,
  Finding,
} from '../report/doctor-report.ts';

/** Threads of a session by default, and the processors both arms would be pinned to. */
export function examineProcessors(): Pick<DoctorReport, 'threads' | 'pinned'> {
  const grant = readCpuGrant();
  const threads = chooseThreads(grant);
  const cores = chooseCores(grant, threads);
  return { threads, pinned: cores !== null && canPin(cores) ? cores : null };
}

/** The engine that would be measured with. */
export async function examineEngine(workbench: Workbench): Promise<Finding<DoctorEngine>> {
  try {
    const { version, source, dir, digest } = await workbench.findRuntime();
    return { version, source, dir, digest };
  } catch (thrown) {
    return { fault: describeThrown(thrown) };
  }
}

/** Every provider the engine offers, tried in a process of its own. */
export async function examineProviders(workbench: Workbench): Promise<DoctorProvider[]> {
  const attempt = (name: string) => workbench.tryProvider(name, {}).then((engine) => ({ engine }), describeThrown);
  const first = await attempt('cpu');
  if (typeof first === 'string') return [{ name: 'cpu', fault: first }];
  const providers: DoctorProvider[] = [];
  for (const name of first.engine.backends) {
    const found = await attempt(name);
    providers.push({ name, fault: typeof found === 'string' ? found : null });
  }
  return providers;
}

/** The card that this model would run on, before anything of ours does, and whether it can be locked. */
export async function examineGpu(
  workbench: Workbench,
  asked: AskedDevice,
  env: NodeJS.ProcessEnv,
): Promise<Finding<DoctorGpu>> {
  try {
    const probe = await workbench.probe(cardOf([asked]) ?? 0);
    if ('absence' in probe) return { fault: probe.absence.reason };
    return await describeCard(probe.gpu, workbench, env);
  } catch (thrown) {
    return { fault: describeThrown(thrown) };
  }
}

async function describeCard(gpu: GpuHealth, workbench: Workbench, env: NodeJS.ProcessEnv): Promise<DoctorGpu> {
  const { device, apps } = await gpu.snapshot();
  const { caveat } = await workbench.lockCard(gpu);
  const ownDir = env['MODEL_GATE_LOCK_DIR'] ?? defaultLockDir(tmpdir());
  const caveats = [caveat, lockCaveat(ownDir === defaultLockDir(tmpdir()), env)];
  return {
    name: device.name,
    uuid: device.uuid,
    driver: device.driver,
    driverFault: refuseDriver(Number(gpu.facts['driver.major']) || null),
    temperatureC: device.temperatureC,
    memoryUsedBytes: device.memoryUsedBytes,
    memoryTotalBytes: device.memoryTotalBytes,
    powerLimitW: device.powerLimitW,
    clockMHz: device.clockSmMHz,
    clockMaxMHz: device.clockMaxSmMHz,
    clocksUnderLoadMHz: [],
    processes: apps?.map(({ pid, name, usedBytes }) => ({ pid, name, usedBytes })) ?? null,
    notes: gpu.notes,
    lockCaveats: caveats.filter((text) => text !== null),
  };
}

/** What lies in `baselines/` of the folder, by the class it belongs to. */
export async function examineBaselines(folder: string, environmentClass: string): Promise<DoctorBaseline[]> {
  const store = openDirectoryStore({ repository: folder, commit: null, environment: process.env });
  return readFiles(await store.files(null)).map(({ path, baseline, fault }) => {
    if (baseline === null)
      return { path, model: path, machine: 'unknown', sessions: 0, newest: null, isOfThisClass: false, fault };
    const { model, machine, sessions, folded, newest } = summarise(path, baseline);
    const isOfThisClass = baseline.class === environmentClass;
    return { path, model, machine, sessions: sessions + folded, newest, isOfThisClass, fault: null };
  });
}
