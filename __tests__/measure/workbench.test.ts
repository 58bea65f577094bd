import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { entryOf, openRecords, withPreparation, withRestart } from '../../src/measure/case-record.ts';
import { acquireLock } from '../../src/measure/lock-edge.ts';
import type { ArmSpec, CaseGroup } from '../../src/plan/plan.ts';
import { card, type Scenario } from '../fakes/nvidia-smi-scenario.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';
import { openWorkbenchWorld, type WorkbenchWorld } from '../fakes/workbench-world.ts';

const FIRST = 'GPU-aaaa0000-0000-0000-0000-000000000001';
const SECOND = 'GPU-aaaa0000-0000-0000-0000-000000000002';
const ONE: Scenario = { cards: [card()] };
const TWO: Scenario = { cards: [card(), card({ index: '1', uuid: SECOND, name: 'NVIDIA L4' })] };
const LOST: Scenario = { fail: { exit: 15, text: 'Unable to determine the device handle: GPU is lost.' } };

let world: WorkbenchWorld;
let arm: ArmSpec;

beforeAll(async () => {
  world = await openWorkbenchWorld();
  const modelFile = join(world.root, 'model.onnx');
  const bytes = tinyMlp();
  writeFileSync(modelFile, bytes);
  arm = {
    commit: null,
    modelFile,
    externalFiles: [],
    sha256: 'a'.repeat(64),
    bytes: bytes.byteLength,
    runtimeDir: null,
    session: { threads: 1 },
  };
});
afterAll(() => world.close());

function group(provider: string, more: Partial<CaseGroup> = {}): CaseGroup {
  const source = { fill: 'normal', seed: 1 } as const;
  const feeds = [{ name: 'x', dtype: 'float32', dims: [4, 16], arms: 'both' as const, source }];
  return {
    id: `m/${provider}`,
    model: 'm',
    path: 'm.onnx',
    provider,
    variant: null,
    comparison: 'paired',
    base: arm,
    head: arm,
    cases: [{ id: `m/${provider}/b4/c1`, batch: 4, feeds, workload: 'w' }],
    fetch: 'all',
    pool: 2,
    unchanged: false,
    notes: [],
    ...more,
  };
}

const withDevice = (id: number): ArmSpec => ({ ...arm, session: { ...arm.session, 'device-id': id } });

describe('the machine as models may use it', () => {
  it.each<[string, Scenario | null, string | null, object]>([
    ['a card', ONE, null, { provider: 'cuda', note: expect.stringContaining('NVIDIA GPU is present') }],
    ['a lost card, none asked', LOST, null, { noVerdict: expect.stringContaining('is lost') }],
    ['a lost card, cuda asked', LOST, 'cuda', { noVerdict: expect.stringContaining('is lost') }],
    ['a lost card, cpu asked', LOST, 'cpu', { provider: 'cpu', note: null }],
    ['no card', {}, null, { provider: 'cpu', note: expect.stringContaining('finds no GPU') }],
    ['no tool', null, null, { provider: 'cpu', note: expect.stringContaining('not on PATH') }],
  ])('%s', async (_, scenario, asked, choice) => {
    const machine = await world.workbench(scenario).inspect([asked === null ? {} : { providers: [asked] }, {}]);
    expect(machine.chooseProvider(asked)).toEqual(choice);
  });

  it('is of a GPU class for every provider that may run on the watched card, else of a CPU class', async () => {
    const watched = await world.workbench(ONE).inspect([{ providers: ['cuda', 'webgpu', 'cpu'] }]);
    const blind = await world.workbench(null).inspect([{ providers: ['webgpu', 'cpu'] }]);
    const classOf = (machine: typeof watched, provider: string) => machine.environment([provider]).class;
    expect(classOf(watched, 'webgpu')).toBe(classOf(watched, 'cuda'));
    expect(classOf(watched, 'cuda')).not.toBe(classOf(watched, 'cpu'));
    expect(classOf(blind, 'webgpu')).toBe(classOf(watched, 'cpu'));
  });

  it('asks no driver for models that name cpu', async () => {
    const bench = world.workbench(LOST);
    const machine = await bench.inspect([{ providers: ['cpu'] }]);
    expect(machine.environment(['cpu']).facts).not.toHaveProperty('gpu.name');
    expect(bench.smi.calls()).toEqual(['']);
  });

  it('has the card of session.device-id', async () => {
    const machine = await world.workbench(TWO).inspect([{ providers: ['cuda'], session: { 'device-id': 1 } }]);
    expect(machine.environment(['cuda']).facts).toMatchObject({ 'gpu.name': 'NVIDIA L4', 'gpu.uuid': SECOND });
  });

  it('refuses to measure two cards in one job', async () => {
    const models = [{ providers: ['cuda'] as [string] }, { session: { 'device-id': 1 } }];
    await expect(world.workbench(TWO).inspect(models)).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringContaining('GPUs 0 and 1'),
    });
    await expect(world.workbench(TWO).open([group('cuda', { head: withDevice(1) })])).rejects.toThrow('GPUs 0 and 1');
  });
});

describe('an open bench', () => {
  it('on webgpu locks, watches and labels the card, holds its clocks, and gives both free', async () => {
    const bench = world.workbench({ cards: [card({ persistence_mode: 'Disabled' })] }, { lockClocksMHz: 1200 });
    const work = group('webgpu');
    const open = await bench.open([work]);
    const lock = { dir: world.lockDir, key: FIRST, limitMs: 50, onWait: () => {} };
    await expect(acquireLock(lock)).rejects.toThrow('was not free');
    const preparation = await open.measurer.prepare(work);
    const result = await open.measurer.restart(work, 0, ['m/webgpu/b4/c1']);
    await open.measurer.finish(work);
    expect(bench.smi.calls()).toContain(`-lgc 1200,1200 -i ${FIRST}`);
    await open.release();
    await (await acquireLock(lock)).release();
    expect(bench.smi.calls().at(-1)).toBe(`-rgc -i ${FIRST}`);
    expect(preparation.fault).toBeNull();
    expect(preparation.armFacts.head['runtime.digest']).toMatch(/^[0-9a-f]{64}$/);
    expect(preparation.armFacts.base).toEqual(preparation.armFacts.head);
    const [record] = openRecords(work).map((entry) => withRestart(withPreparation(entry, preparation), result));
    if (!record) throw new Error('the group has a case');
    for (const side of ['base', 'head'] as const)
      expect(entryOf(record, side).metrics['memory.gpu.peak']?.definition).toBe('gpu-device-delta@1');
    expect(open.machineNotes()).toEqual([
      { code: 'gpu', text: expect.stringContaining('persistence mode is off') },
      { code: 'gpu-clocks', text: expect.stringContaining('585 MHz was seen') },
    ]);
    expect(world.temporary()).toEqual([]);
  }, 120_000);

  it('on another card than NVIDIA says what is not checked, and promises no GPU memory', async () => {
    const work = group('webgpu');
    const open = await world.workbench(null).open([work]);
    const preparation = await open.measurer.prepare(work);
    await open.measurer.finish(work);
    await open.release();
    expect(preparation.fault).toBeNull();
    expect(preparation.metrics['m/webgpu/b4/c1']?.filter((id) => id.startsWith('memory.gpu'))).toEqual([]);
    expect(open.machineNotes()).toEqual([
      { code: 'provider', text: expect.stringContaining('no NVIDIA GPU is watched') },
    ]);
  }, 120_000);

  it('leaves nothing behind when the lock is held by another', async () => {
    const held = await acquireLock({ dir: world.lockDir, key: FIRST, limitMs: 50, onWait: () => {} });
    await expect(world.workbench(ONE).open([group('webgpu')])).rejects.toMatchObject({ name: 'NoVerdictError' });
    await held.release();
    expect(world.temporary()).toEqual([]);
  });

  it('makes a provider whose libraries are missing the fault of its own groups', async () => {
    const groups = [group('cuda', { base: withDevice(0), head: withDevice(0) }), group('cpu')];
    const open = await world.workbench(ONE).open(groups);
    await expect(open.measurer.prepare(groups[0] as CaseGroup)).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringMatching(/^provider cuda cannot be created: .*install/),
    });
    expect((await open.measurer.prepare(groups[1] as CaseGroup)).fault).toBeNull();
    await open.measurer.finish(groups[1] as CaseGroup);
    await open.release();
  }, 60_000);

  it('refuses an option the engine would ignore, and frees the card', async () => {
    const bench = world.workbench(ONE);
    await expect(bench.open([group('webgpu', { head: withDevice(0) })])).rejects.toMatchObject({
      name: 'RefusedError',
      message: expect.stringContaining('device-id does nothing with provider webgpu'),
    });
    await (await acquireLock({ dir: world.lockDir, key: FIRST, limitMs: 50, onWait: () => {} })).release();
    expect(world.temporary()).toEqual([]);
  });

  it('finds, locks and installs nothing where every arm equals its base', async () => {
    const bench = world.workbench(ONE, { onnxruntimePath: '/nonexistent' });
    const open = await bench.open([group('cuda', { unchanged: true })]);
    await open.release();
    expect(bench.smi.calls()).toEqual(['']);
  });

  it('without a card is no verdict for cuda, naming why', async () => {
    await expect(world.workbench(LOST).open([group('cuda')])).rejects.toThrow(
      'provider cuda needs an NVIDIA GPU as device 0: the GPU is lost',
    );
  });
});
