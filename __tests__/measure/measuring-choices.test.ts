import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { SessionOptions } from '../../src/inputs/gate-config.ts';
import { armFactsOf } from '../../src/measure/arm-facts.ts';
import { poolNeeds } from '../../src/measure/feed-pool.ts';
import { chooseMode } from '../../src/measure/mode.ts';
import { planPool } from '../../src/measure/pool-plan.ts';
import { reachOf } from '../../src/measure/reach.ts';
import { engineOptions, leavesThreadsSpinning } from '../../src/measure/session-options.ts';
import { chooseSpinning } from '../../src/measure/spinning.ts';
import { foldersOf, isStagedOnce, stagingEpoch } from '../../src/measure/staging.ts';
import { oneLine, tailOf } from '../../src/measure/stderr-tail.ts';
import { isSteady } from '../../src/measure/warm-up.ts';
import { workerEnvironment } from '../../src/measure/worker-environment.ts';
import { describeDeath } from '../../src/measure/worker-failure.ts';
import type { ArmSpec, CaseGroup, CaseSpec } from '../../src/plan/plan.ts';

const GIB = 2 ** 30;

describe('mode', () => {
  const roomy = { hostFreeBytes: 10 * GIB, hostPeakBytes: [GIB, GIB], sameRuntime: true, gpu: null };
  const gpu = { exclusive: false, freeBytes: 10 * GIB, peakBytes: [4 * GIB, 3.9 * GIB] };
  it.each([
    ['duet where both fit', roomy, 'duet'],
    ['duet where the system does not say what is free', { ...roomy, hostFreeBytes: null }, 'duet'],
    ['pairs where memory has no quarter to spare', { ...roomy, hostFreeBytes: 2.4 * GIB }, 'pairs'],
    ['duet where both fit the card', { ...roomy, gpu }, 'duet'],
    ['pairs where the card has no quarter to spare', { ...roomy, gpu: { ...gpu, freeBytes: 9.8 * GIB } }, 'pairs'],
    ['inproc where the card takes one process', { ...roomy, gpu: { ...gpu, exclusive: true } }, 'inproc'],
    ['pairs where runtimes differ too', { ...roomy, sameRuntime: false, gpu: { ...gpu, exclusive: true } }, 'pairs'],
  ] as const)('is %s', (_, capacity, mode) => {
    const choice = chooseMode(capacity);
    expect(choice.mode).toBe(mode);
    expect(choice.reason === null).toBe(mode === 'duet');
  });

  it('inproc cannot tell memory and loading apart', () => {
    const effort = { keptIterations: 1000 } as Parameters<typeof reachOf>[0];
    const { metrics, unreachable } = reachOf(effort, 'inproc', 'gpu', 'read-here');
    expect(metrics.filter((metric) => /memory|load|first/.test(metric))).toEqual([]);
    expect(unreachable.map(({ metric }) => metric)).toContain('memory.gpu.peak');
    expect(reachOf(effort, 'duet', 'host', 'read-here').metrics).not.toContain('memory.gpu.peak');
    expect(reachOf(effort, 'duet', 'gpu', 'read-in-largest-batch').metrics).not.toContain('memory.gpu.peak');
  });
});

const settings = { provider: 'cpu', threads: 4, spinning: 'engine-default', profilePrefix: null } as const;

describe('engine options', () => {
  it.each([
    ['by default ask for one provider and its threads', {}, { executionProviders: ['cpu'], intraOpNumThreads: 4 }],
    ['take the config over ours', { threads: 2 }, { intraOpNumThreads: 2 }],
    ['name the device', { 'device-id': 1 }, { executionProviders: [{ name: 'cpu', deviceId: 1 }] }],
    ['pass config entries', { config: { 'session.x': '1' } }, { extra: { 'session.x': '1' } }],
    ['turn spinning off', { spinning: false }, { extra: { 'session.intra_op.allow_spinning': '0' } }],
    ['turn graph levels', { 'graph-optimization': 'basic' }, { graphOptimizationLevel: 'basic' }],
    ['keep false', { 'memory-arena': false }, { enableCpuMemArena: false }],
  ] as const)('%s', (_, session: SessionOptions, options) => {
    expect(engineOptions(session, settings)).toMatchObject(options);
  });

  it('set nothing that was not asked for, so that the engine decides', () => {
    expect(Object.keys(engineOptions({}, settings)).sort()).toEqual([
      'executionProviders',
      'intraOpNumThreads',
      'logSeverityLevel',
    ]);
  });

  it('profile only where asked', () => {
    const options = engineOptions({}, { ...settings, profilePrefix: '/tmp/p' });
    expect(options).toMatchObject({ enableProfiling: true, profileFilePrefix: '/tmp/p' });
  });
});

describe('spinning', () => {
  const arm = (session: SessionOptions) => ({ session }) as ArmSpec;
  const group = (session: SessionOptions, provider = 'cpu') =>
    ({ provider, base: arm(session), head: arm(session) }) as CaseGroup;
  it.each([
    ['stays where cores are ours', {}, 2, null, [1.9, 1.8], 'engine-default'],
    ['goes under a quota', {}, 2, 2, [1.9], 'off'],
    ['goes where others use the cores', {}, 2, null, [0.7, 1.8], 'off'],
    ['does not matter to one thread', {}, 1, 1, [0.5], 'engine-default'],
    ['is the config’s where it says so', { spinning: true }, 2, 2, [0.5], 'engine-default'],
  ] as const)('%s', (_, session, threads, quota, shares, spinning) => {
    const choice = chooseSpinning(group(session), threads, quota, shares);
    expect(choice.spinning).toBe(spinning);
    expect(choice.reason === null).toBe(spinning === 'engine-default');
  });

  it('is not judged by the processor where a device does the work', () => {
    expect(chooseSpinning(group({}, 'cuda'), 2, null, [0.2]).spinning).toBe('engine-default');
  });

  it.each([
    ['several threads', {}, settings, true],
    ['one thread', { threads: 1 }, settings, false],
    ['spinning turned off by us', {}, { ...settings, spinning: 'off' }, false],
    ['spinning turned off by the config', { spinning: false }, settings, false],
    ['a config entry', { config: { 'session.intra_op.allow_spinning': '0' } }, settings, false],
  ] as const)('makes the other arm wait with %s', (_, session: SessionOptions, machine, waits) => {
    expect(leavesThreadsSpinning(session, machine)).toBe(waits);
  });
});

describe('environment of a worker', () => {
  it('holds what the engine reads, and no token', () => {
    const environment = workerEnvironment(
      {
        PATH: '/bin',
        CUDA_PATH: '/cuda',
        LD_LIBRARY_PATH: '/lib',
        GITHUB_TOKEN: 'ghs_x',
        ACTIONS_RUNTIME_TOKEN: 'y',
        NODE_OPTIONS: '--require evil',
        INPUT_SECRET: 'z',
        CUDA_API_KEY: 'k',
        ORT_DISABLE_TELEMETRY: '0',
        AWS_ACCESS_KEY_ID: 'a',
        LANG: undefined,
      },
      { CUDA_VISIBLE_DEVICES: 'GPU-1' },
    );
    expect(environment).toEqual({
      PATH: '/bin',
      CUDA_PATH: '/cuda',
      LD_LIBRARY_PATH: '/lib',
      CUDA_VISIBLE_DEVICES: 'GPU-1',
      ORT_DISABLE_TELEMETRY: '1',
    });
  });
});

describe('the tail of what a worker printed', () => {
  it.each([
    ['colours', '\u001b[31mred\u001b[0m text', 'red text'],
    ['links', '\u001b]8;;http://x\u0007here\u001b]8;;\u0007', 'here'],
    ['carriage returns', 'a\rb\r\nc', 'a\nb\nc'],
    ['bells, nulls and direction marks', 'a\u0000\u0007\u202eb', 'ab'],
    ['nothing', ' \n\n', undefined],
  ])('is free of %s', (_, output, tail) => {
    expect(tailOf(output)).toBe(tail);
  });

  it('is at most 20 lines of 400 characters, the last ones', () => {
    const tail = tailOf(Array.from({ length: 50 }, (_, i) => `${i} ${'x'.repeat(1000)}`).join('\n')) ?? '';
    const lines = tail.split('\n');
    expect(lines).toHaveLength(20);
    expect(lines[19]?.startsWith('49 ')).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBe(400);
  });

  it('holds no control character, whatever was printed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (output) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested.
        expect(tailOf(output) ?? '').not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
        expect(oneLine(output)).not.toContain('\n');
      }),
    );
  });
});

describe('warm-up', () => {
  it.each([
    ['too few windows', [1, 1], false],
    ['three equal windows', [9, 1, 1, 1], true],
    ['within 3 %', [1, 1.03, 1.01], true],
    ['beyond 3 %', [1, 1.04, 1], false],
    ['falling', [1.2, 1.1, 1], false],
  ])('of %s', (_, times, steady) => {
    expect(isSteady(times, 0.5)).toBe(steady);
  });

  it('takes windows of several runs where runs are short', () => {
    const noisy = Array.from({ length: 60 }, (_, i) => (i % 10 === 0 ? 5 : 1));
    expect(isSteady(noisy, 10)).toBe(true);
    expect(isSteady(noisy.slice(0, 10), 10)).toBe(false);
  });
});

describe('size of a pool', () => {
  const ids: CaseSpec = {
    id: 'c',
    batch: 128,
    workload: '',
    feeds: [{ name: 'ids', dtype: 'int64', dims: [128, 26], arms: 'both', source: { fill: 'zipf', range: [0, 99] } }],
  };
  const image: CaseSpec = {
    ...ids,
    feeds: [{ name: 'x', dtype: 'float32', dims: [1, 3, 1000, 1000], arms: 'both', source: {} }],
  };
  const needs = (spec: CaseSpec, requested: number | null = null, cache = 2 ** 25) => [
    poolNeeds(spec.feeds, {}, cache, requested),
  ];
  it.each([
    ['fills the cache twice', ids, needs(ids), 10_000, 2521],
    ['holds no more than are used', ids, needs(ids), 90, 90],
    ['holds no more than can be filled in time', image, needs(image, null, 2 ** 29), 1000, 5],
    ['is what the config asks for', image, needs(image, 7), 3, 7],
    ['is at least one', image, needs(image), 1, 1],
  ])('%s', (_, spec, armNeeds, iterations, size) => {
    expect(planPool(spec, armNeeds, iterations)).toBe(size);
  });
});

describe('staging', () => {
  it('swaps arms and the order of writing, with names of equal length', () => {
    const [even, odd] = [foldersOf(0), foldersOf(1)];
    expect(even.map(({ arm }) => arm)).toEqual(['base', 'head']);
    expect(odd.map(({ arm }) => arm)).toEqual(['head', 'base']);
    expect(even.map(({ folder }) => folder)).toEqual(odd.map(({ folder }) => folder));
    expect(new Set(even.map(({ folder }) => folder.length)).size).toBe(1);
  });

  const MIB = 2 ** 20;
  it.each([
    ['every restart', 256 * MIB, Array.from({ length: 42 }, (_, index) => index).slice(1), false],
    ['every look', 2 * GIB, [6, 9, 13, 19, 28, 41], false],
    ['once', 2 * GIB + 1, [], true],
  ])('is done anew before %s, by size', (_, bytes, times, once) => {
    const group = { base: { bytes }, head: { bytes } } as CaseGroup;
    const epochs = Array.from({ length: 42 }, (__, index) => stagingEpoch(group, index));
    const changes = epochs.flatMap((epoch, index) => (index > 0 && epoch !== epochs[index - 1] ? [index] : []));
    expect(changes).toEqual(times);
    expect(isStagedOnce(group)).toBe(once);
  });
});

describe('words', () => {
  it.each([
    [null, 'SIGKILL', 'the worker was killed (SIGKILL) during loading the model, most likely for want of memory'],
    [null, 'SIGABRT', 'the worker crashed (SIGABRT) during loading the model'],
    [7, null, 'the worker ended (exit code 7) during loading the model'],
  ])('for a death by code %s and signal %s', (code, signal, text) => {
    expect(describeDeath(code, signal, 'load')).toBe(text);
  });

  it('for an arm name what was set and nothing else', () => {
    const spec = { session: { 'memory-arena': false, config: { 'session.x': '1' } } } as unknown as ArmSpec;
    expect(armFactsOf(spec, 'cpu', '1.30.0', 2)).toEqual({
      runtime: 'onnxruntime-node 1.30.0',
      provider: 'cpu',
      'session.threads': 2,
      'session.memory-arena': false,
      'session.config.session.x': '1',
    });
  });
});
