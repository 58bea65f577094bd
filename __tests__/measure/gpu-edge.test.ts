import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type GpuProbe, openGpu } from '../../src/measure/gpu-edge.ts';
import type { GpuHealth } from '../../src/measure/gpu-health.ts';
import { ALL_FIELDS } from '../../src/measure/gpu-query.ts';
import { card, type FakeSmi, fakeSmi, type Scenario } from '../fakes/nvidia-smi-scenario.ts';

const FIRST = 'GPU-aaaa0000-0000-0000-0000-000000000001';
const SECOND = 'GPU-aaaa0000-0000-0000-0000-000000000002';
const MIB = 2 ** 20;

const fakes: FakeSmi[] = [];
afterEach(() => {
  for (const fake of fakes.splice(0)) fake.remove();
});

function start(scenario: Scenario): FakeSmi {
  const fake = fakeSmi(scenario);
  fakes.push(fake);
  return fake;
}

const probe = (fake: FakeSmi, extra: NodeJS.ProcessEnv = {}, deviceId = 0): Promise<GpuProbe> =>
  openGpu({ deviceId, env: { ...fake.env, ...extra } });

async function open(fake: FakeSmi, extra: NodeJS.ProcessEnv = {}): Promise<GpuHealth> {
  const result = await probe(fake, extra);
  if ('absence' in result) throw new Error(result.absence.reason);
  return result.gpu;
}

const app = (pid: number, used: string) => ({
  pid: String(pid),
  gpu_uuid: FIRST,
  used_gpu_memory: used,
  process_name: 'node',
});

describe('finding the card', () => {
  it.each<[string, Scenario, string, RegExp]>([
    [
      'driver not loaded',
      {
        fail: {
          exit: 9,
          text: "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
        },
      },
      'no-driver',
      /not loaded/,
    ],
    [
      'versions differ',
      { fail: { exit: 18, text: 'Failed to initialize NVML: Driver/library version mismatch' } },
      'no-driver',
      /versions differ/,
    ],
    [
      'container lost its devices',
      { fail: { exit: 255, text: 'Failed to initialize NVML: Unknown Error' } },
      'no-driver',
      /container/,
    ],
    ['no devices', { fail: { exit: 6, text: 'No devices were found' } }, 'no-device', /finds no GPU/],
    [
      'card lost',
      {
        fail: {
          exit: 15,
          text: 'Unable to determine the device handle for GPU0000:01:00.0: GPU is lost.  Reboot the system to recover this GPU',
        },
      },
      'lost',
      /reboot/,
    ],
    ['permissions', { fail: { exit: 4, text: 'Insufficient Permissions' } }, 'refused', /permission/],
    ['anything else', { fail: { exit: 77, text: 'Out of cheese' } }, 'failed', /exit code 77: Out of cheese/],
    ['an empty list', {}, 'no-device', /finds no GPU/],
    ['compute forbidden', { cards: [card({ compute_mode: 'Prohibited' })] }, 'unusable', /forbids compute/],
    [
      'a card to be reset',
      { cards: [card({ gpu_recovery_action: 'Reset' })] },
      'unusable',
      /recovery of the card \("Reset"\)/,
    ],
  ])('%s is an absence with a reason', async (_, scenario, kind, reason) => {
    expect(await probe(start(scenario))).toEqual({ absence: { kind, reason: expect.stringMatching(reason) } });
  });

  it('a missing tool is an absence', async () => {
    expect(await openGpu({ deviceId: 0, env: { PATH: '/nonexistent' } })).toMatchObject({
      absence: { kind: 'no-tool' },
    });
  });

  it('a hanging driver is given up after the limit', async () => {
    const fake = start({ hang: true });
    const result = await openGpu({ deviceId: 0, env: fake.env, timeoutMs: 300 });
    expect(result).toEqual({ absence: { kind: 'hang', reason: expect.stringContaining('no answer in 0.3 s') } });
  });

  it('facts of the class and the environment of workers come from the chosen card of two', async () => {
    const fake = start({
      cards: [card(), card({ index: '1', uuid: SECOND, name: 'NVIDIA L4', 'enforced.power.limit': '71.98' })],
    });
    const gpu = await open(fake, { CUDA_VISIBLE_DEVICES: '1' });
    expect(gpu.lockKey).toBe(SECOND);
    expect(gpu.environment).toEqual({ CUDA_DEVICE_ORDER: 'PCI_BUS_ID', CUDA_VISIBLE_DEVICES: SECOND });
    expect(gpu.facts).toMatchObject({
      'gpu.name': 'NVIDIA L4',
      'gpu.count': 1,
      'gpu.visible': 2,
      'gpu.memoryGiB': 15,
      'mig.profile': null,
      'power.limitW': 70,
      'driver.major': 580,
    });
    expect(gpu.notes).toEqual([]);
  });

  it('a driver that does not list its fields is asked until it accepts', async () => {
    const old = ALL_FIELDS.filter((field) => !field.startsWith('clocks_event') && field !== 'gpu_recovery_action');
    const gpu = await open(start({ fields: old, help: false, cards: [card()] }));
    expect(gpu.facts['gpu.throttleCounters']).toBe(false);
    expect(gpu.notes.join()).toContain('no throttle counters');
  });

  it('says that a card was only just woken', async () => {
    const gpu = await open(start({ cards: [card({ persistence_mode: 'Disabled', 'utilization.gpu': '100' })] }));
    expect(gpu.notes[0]).toContain('just woken');
  });
});

describe('watching the card', () => {
  it('reads the memory of its own process, and no process that bears its number by chance', async () => {
    const fake = start({ cards: [card()], apps: [app(7, '500')] });
    const gpu = await open(fake);
    const idle = await gpu.snapshot();
    fake.set({ cards: [card({ 'memory.used': '1203' })], apps: [app(7, '500'), app(8, '700')] });
    expect(await gpu.processMemory(8, idle)).toEqual({ bytes: 700 * MIB, definition: 'gpu-own-process@1' });
    expect(await gpu.processMemory(7, idle)).toBeNull();
  });

  it('in a container takes what the card grew by, and says so', async () => {
    const fake = start({ cards: [card()] });
    const gpu = await open(fake);
    const idle = await gpu.snapshot();
    fake.set({ cards: [card({ 'memory.used': '1203' })] });
    expect(await gpu.processMemory(8, idle)).toEqual({ bytes: 1200 * MIB, definition: 'gpu-device-delta@1' });
    fake.set({ cards: [card({ 'memory.used': '1203' })], apps: [app(8, '700')] });
    expect(await gpu.processMemory(8, idle)).toMatchObject({ definition: 'gpu-device-delta@1' });
    expect(gpu.memoryDefinition()).toBe('gpu-device-delta@1');
  });

  it('on MIG sees memory and processes of its slice only', async () => {
    const fixture = (name: string) => readFileSync(new URL(`../fixtures/nvidia-smi/${name}`, import.meta.url), 'utf8');
    const fake = start({
      cards: [card({ 'mig.mode.current': 'Enabled', 'utilization.gpu': '[N/A]', 'memory.used': '1046' })],
      apps: [app(4100, '1000'), app(5200, '800')],
      list: fixture('list-mig.txt'),
      xml: fixture('query-mig.xml'),
    });
    const gpu = await open(fake);
    const { device, apps } = await gpu.snapshot();
    expect(device).toMatchObject({ memoryUsedBytes: 1037 * MIB, utilization: null });
    expect(apps?.map(({ pid }) => pid)).toEqual([4100]);
    expect(gpu.facts['mig.profile']).toBe('3g.20gb');
    expect(gpu.lockKey).toBe(FIRST);
  });

  it('makes a restart invalid when the card is lost in it', async () => {
    const fake = start({ cards: [card()] });
    const gpu = await open(fake);
    const before = await gpu.snapshot();
    fake.set({ fail: { exit: 15, text: 'Unable to determine the device handle: GPU is lost.' } });
    expect(await gpu.judge(before, [])).toMatchObject({ valid: false, notes: [expect.stringContaining('lost')] });
  });

  it('asks only the chosen card while watching', async () => {
    const fake = start({ cards: [card(), card({ index: '1', uuid: SECOND })] });
    const gpu = await open(fake);
    const asked = fake.calls().length;
    await gpu.snapshot();
    expect(fake.calls().slice(asked)).toHaveLength(2);
    expect(
      fake
        .calls()
        .slice(asked)
        .every((call) => call.endsWith(`-i ${FIRST}`)),
    ).toBe(true);
  });

  it.each([
    ['Default', false],
    ['Exclusive_Process', true],
    ['[N/A]', false],
  ])('compute mode %s means one process at a time: %s', async (compute_mode, exclusive) => {
    expect((await open(start({ cards: [card({ compute_mode })] }))).exclusive).toBe(exclusive);
  });
});
