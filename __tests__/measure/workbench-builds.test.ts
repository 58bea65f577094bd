import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ChangeNote } from '../../src/changes/change-set.ts';
import { entryOf, openRecords } from '../../src/measure/case-record.ts';
import { armsAt } from '../../src/measure/staging.ts';
import { readModel } from '../../src/model/model-facts.ts';
import { reserialise } from '../../src/model/variant.ts';
import { planGroups } from '../../src/plan/plan-groups.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';
import { type Bench, feed, groupOf, openBench } from './measurer-bench.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

const MODELS = [tinyMlp(), reserialise(tinyMlp())] as const;

describe('builds that do not repeat', () => {
  it('reach the plan as arms with each arm own options, and the file as their count', () => {
    const onDisk = (modelFile: string) => ({
      commit: null,
      modelFile,
      externalFiles: [],
      sha256: 'a'.repeat(64),
      bytes: 1,
      facts: readModel(MODELS[0], modelFile),
    });
    const notes: ChangeNote[] = [];
    const [base, head] = [[onDisk('b1'), onDisk('b2'), onDisk('b3')] as const, [onDisk('h1'), onDisk('h2')] as const];
    const { groups } = planGroups(
      {
        id: 'm',
        path: 'm.onnx',
        base: base[0],
        head: head[0],
        builds: { base, head },
        baseConfig: { session: { threads: 1 } },
        headConfig: { session: { threads: 2 } },
        comparison: 'paired',
        feedFiles: {},
        notes,
      },
      { defaultProvider: 'cpu', equalArms: 'unchanged' },
    );
    const [group] = groups;
    if (!group) throw new Error('a group was planned');
    expect(group.builds?.base.map((arm) => [arm.modelFile, arm.session.threads])).toEqual([
      ['b1', 1],
      ['b2', 1],
      ['b3', 1],
    ]);
    const turns = [0, 1, 2, 3].map((index) => armsAt(group, index));
    expect(turns.map(({ base: arm }) => arm?.modelFile)).toEqual(['b1', 'b2', 'b3', 'b1']);
    expect(turns.map(({ head: arm }) => arm?.modelFile)).toEqual(['h1', 'h2', 'h1', 'h2']);
    expect(openRecords(group).map((record) => entryOf(record, 'head').builds)).toEqual([2]);
  });

  it('are staged in turn, one a restart', async () => {
    const builds = { base: MODELS.map((bytes) => bench.arm(bytes)), head: MODELS.map((bytes) => bench.arm(bytes)) };
    const [base, head] = [bench.arm(MODELS[0]), bench.arm(MODELS[0])];
    const group = groupOf(base, head, [feed('x', 'float32', [4, 16])], { builds });
    const measurer = bench.measurer();
    expect((await measurer.prepare(group)).fault).toBeNull();
    const staging = join(bench.root, 'staging');
    const staged = (): Buffer[] => {
      const [folder = ''] = readdirSync(staging);
      return ['arm-0', 'arm-1'].map((arm) => readFileSync(join(staging, folder, arm, 'staged-by-model-gate.onnx')));
    };
    for (const index of [0, 1, 2]) {
      const { pairs } = await measurer.restart(group, index, ['m/cpu/b4/c1']);
      expect(pairs['m/cpu/b4/c1']?.head.valid).toBe(true);
      expect(staged()).toEqual([Buffer.from(MODELS[index % 2] ?? []), Buffer.from(MODELS[index % 2] ?? [])]);
    }
    await measurer.finish(group);
  }, 60_000);
});
