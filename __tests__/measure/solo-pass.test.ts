import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { median } from 'simple-statistics';
import { type GpuHealth, type GpuSnapshot, judgeHealth } from '../../src/measure/gpu-health.ts';
import { chooseColumns, parseDevices } from '../../src/measure/gpu-query.ts';
import { graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { card } from '../fakes/nvidia-smi-scenario.ts';
import { softwareVulkan } from '../fakes/swiftshader.ts';
import { type Bench, feed, groupOf, openBench } from './measurer-bench.ts';

const DIMS = [64, 64];
const ID = 'm/cpu/b64/c1';
let bench: Bench;
let vulkan: Record<string, string>;

beforeAll(async () => {
  bench = await openBench();
  vulkan = softwareVulkan(join(bench.root, 'vulkan'));
});
afterAll(() => bench.close());

/** A card whose counter of the software power cap has run all along, or never. */
function cardAt(limit: 'power-capped' | 'free'): GpuHealth {
  const snapshot = async (): Promise<GpuSnapshot> => {
    const takenAtMs = performance.now();
    const cappedUs = limit === 'free' ? 0 : Math.round(takenAtMs * 1000);
    const row = card({ 'clocks_event_reasons_counters.sw_power_cap': String(cappedUs) });
    const columns = chooseColumns(new Set(Object.keys(row)));
    const [device] = parseDevices(columns.map(({ field }) => row[field]).join(', '), columns);
    if (!device) throw new Error('the row is no card');
    return { takenAtMs, device, apps: null };
  };
  return {
    lockKey: 'GPU-1',
    facts: {},
    notes: [],
    environment: {},
    exclusive: false,
    freeBytes: async () => null,
    snapshot,
    judge: async (before, ownPids) => judgeHealth(before, await snapshot(), ownPids),
    processMemory: async () => null,
    memoryDefinition: () => null,
  };
}

function chain(length: number) {
  const nodes = Array.from({ length }, (_, i) =>
    node(i % 2 === 0 ? 'Neg' : 'Relu', [i === 0 ? 'x' : `h${i}`], [i === length - 1 ? 'y' : `h${i + 1}`]),
  );
  const ends = { inputs: [valueInfo('x', 'float32', DIMS)], outputs: [valueInfo('y', 'float32', DIMS)] };
  return bench.arm(modelBytes(graph({ nodes, ...ends })));
}

/** One restart on the card, and what is asked and found after it. */
async function measure(limit: 'power-capped' | 'free', provider: string) {
  const steps: string[] = [];
  const group = groupOf(chain(2), chain(80), [feed('x', 'float32', DIMS)], { provider });
  const measurer = bench.measurer({
    environment: { HOME: bench.root, ...vulkan },
    gpu: cardAt(limit),
    soloRunMs: 60,
    onProgress: ({ step, detail }) => {
      if (step === 'alone') steps.push(detail);
    },
  });
  try {
    const { fault } = await measurer.prepare(group);
    const before = measurer.needsSoloPass?.(group);
    await measurer.restart(group, 0, [ID]);
    const needed = measurer.needsSoloPass?.(group);
    const solo = needed ? await measurer.soloPass?.(group, [ID]) : undefined;
    return { fault, before, needed, solo, steps };
  } finally {
    await measurer.finish(group);
  }
}

describe('arms alone', () => {
  it('run three times each, in an order by coin, after a restart on a power-capped card', async () => {
    const { fault, before, needed, solo, steps } = await measure('power-capped', 'webgpu');
    expect(fault).toBeNull();
    expect([before, needed]).toEqual([false, true]);
    const { base = [], head = [] } = solo?.[ID] ?? {};
    expect([base.length, head.length]).toEqual([3, 3]);
    expect(median([...head])).toBeGreaterThan(median([...base]));
    expect([...steps].sort()).toEqual(['base 1', 'base 2', 'base 3', 'head 1', 'head 2', 'head 3']);
    expect(steps.map((step) => step.split(' ')[1])).toEqual(['1', '1', '2', '2', '3', '3']);
  }, 120_000);

  it.each([
    ['a free card', 'free', 'webgpu'],
    ['the processor, whatever the card does', 'power-capped', 'cpu'],
  ] as const)(
    'are not needed on %s',
    async (_, limit, provider) => {
      expect((await measure(limit, provider)).needed).toBe(false);
    },
    120_000,
  );
});
