import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { measurementSchema, type Restart } from '../../src/measure/measurement.ts';
import { CONFIG, createGateWorld, type GateOutcome, type GateWorld, publish, pullTrigger } from './gate-world.ts';

let world: GateWorld;
let base: string;
beforeEach(() => {
  world = createGateWorld();
  base = world.commitModel(4);
  publish(world.repository);
});
afterEach(() => world.remove());

const headFile = ({ out }: GateOutcome) =>
  measurementSchema.parse(JSON.parse(readFileSync(join(out, 'head.measurement.json'), 'utf8')));

/** Leaves the files that a job would have written whose time was over after `count` restarts; head's restarts. */
function cutAfter(out: string, count: number): readonly Restart[] {
  const cut = (arm: string) => {
    const path = join(out, `${arm}.measurement.json`);
    const file = measurementSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
    const entries = file.entries.map((entry) => ({ ...entry, restarts: entry.restarts.slice(0, count) }));
    writeFileSync(path, JSON.stringify({ ...file, entries }));
    return entries[0]?.restarts ?? [];
  };
  cut('base');
  return cut('head');
}

describe('files of the same head in the results folder', () => {
  it('are judged again without measuring when a label comes', async () => {
    const head = world.commitModel(4.4);
    const first = await world.gate({ trigger: pullTrigger(head, base) });
    expect(first.verdict.outcome).toBe('fail');
    const labeled = pullTrigger(head, base, { action: 'labeled' });
    const again = await world.gate({ trigger: labeled, out: first.out, earlier: 'judge-again' });
    expect(again.asked).toEqual({ prepared: [], restarts: [] });
    expect(again.verdict).toMatchObject({ outcome: 'fail', rows: first.verdict.rows });
    expect(again.verdict.environment).toEqual(first.verdict.environment);
  });

  it('are judged again after a push that touches only the config, under its new policy', async () => {
    const head = world.commitModel(4.4);
    const first = await world.gate({ trigger: pullTrigger(head, base) });
    const waiver = `${CONFIG}waivers:\n  - {model: ranker, metric: latency.p50, ceiling: 15%, until: 2027-01-31, reason: dim doubled}\n`;
    const waived = world.repository.commit({ '.github/model-gate.yml': waiver });
    const again = await world.gate({ trigger: pullTrigger(waived, base), out: first.out, earlier: 'judge-again' });
    expect(again.asked.restarts).toEqual([]);
    expect(again.verdict.rows).toMatchObject([{ status: 'waived', change: first.verdict.rows[0]?.change }]);
    expect(again.reports.headline).toContain('under the policy changed here');
  });

  it('of other bytes, or of a machine of another class, are measured again', async () => {
    const head = world.commitModel(4);
    const first = await world.gate({ trigger: pullTrigger(head, base) });
    const other = world.commitModel(4.4);
    const changed = await world.gate({ trigger: pullTrigger(other, base), out: first.out, earlier: 'judge-again' });
    expect(changed.asked.restarts.length).toBeGreaterThan(5);
    expect(changed.verdict.outcome).toBe('fail');
    const elsewhere = { class: 'another', out: changed.out, earlier: 'continue' } as const;
    const moved = await world.gate({ trigger: pullTrigger(other, base), ...elsewhere });
    expect(moved.asked.restarts.length).toBeGreaterThan(5);
  });

  it('go on where time ran out in a second attempt, and a decision stands in a third', async () => {
    const head = world.commitModel(4.4);
    const { out } = await world.gate({ trigger: pullTrigger(head, base) });
    const short = cutAfter(out, 3);
    const second = await world.gate({ trigger: pullTrigger(head, base), out, earlier: 'continue' });
    const restarts = headFile(second).entries[0]?.restarts ?? [];
    expect(restarts.slice(0, 3)).toEqual(short);
    expect(restarts.map(({ index }) => index)).toEqual(restarts.map((_, position) => position));
    expect(second.asked.restarts).toHaveLength(restarts.length - 3);
    expect(second.verdict).toMatchObject({ outcome: 'fail', rows: [{ restarts: restarts.length }] });
    expect(second.verdict.notes.map(({ text }) => text).join()).toContain('3 restarts of an earlier attempt');
    const third = await world.gate({ trigger: pullTrigger(head, base), out, earlier: 'continue' });
    expect(third.asked).toEqual({ prepared: [], restarts: [] });
    expect(third.verdict.rows).toEqual(second.verdict.rows);
  });

  it('are nobody’s word where the repository itself brings them', async () => {
    const forged = await world.gate({ trigger: pullTrigger(world.commitModel(4), base) });
    const folder = join(world.repository.root, 'model-gate-results');
    const text = (arm: string) => readFileSync(join(forged.out, `${arm}.measurement.json`), 'utf8');
    const head = world.repository.commit({
      'model-gate-results/base.measurement.json': text('base'),
      'model-gate-results/head.measurement.json': text('head'),
    });
    expect(existsSync(folder)).toBe(true);
    const result = await world.gate({ trigger: pullTrigger(head, base), out: folder, earlier: 'judge-again' });
    expect(result.asked.restarts.length).toBeGreaterThan(5);
  });
});
