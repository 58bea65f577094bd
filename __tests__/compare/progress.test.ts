import { describe, expect, it } from '@jest/globals';
import { progressOf } from '../../src/compare/progress.ts';
import type { Entry, Manifest, Restart } from '../../src/measure/measurement.ts';
import { judge } from '../../src/verdict/judge.ts';
import { seededNormal } from './random-normal.ts';

const LOOKS = [6, 9, 13, 19, 28, 41];
const manifest = (k: number, looks = LOOKS): Manifest => ({ seed: 's', k, memoryRows: 1, looks, rows: [] });
const entry = (restarts: readonly Restart[]): Entry => ({
  subject: { model: 'm' },
  case: { id: 'm/cpu/b1/c1', provider: 'cpu', workload: 'w' },
  metrics: {},
  restarts: [...restarts],
});
const restart = (index: number, values: Record<string, number>, valid = true): Restart => ({
  index,
  valid,
  notes: [],
  values,
});
const config = { version: 1 } as const;

/** The measuring loop in small: one more restart until the case is decided. */
function measure(shift: number, sd: number, k: number, seed: number) {
  const normal = seededNormal(seed);
  const base: Restart[] = [];
  const head: Restart[] = [];
  for (let index = 0; index < 41; index++) {
    const drift = 0.02 * normal();
    base.push(restart(index, { 'latency.p50': Math.exp(drift) }));
    head.push(restart(index, { 'latency.p50': Math.exp(drift + shift + sd * normal()) }));
    const progress = progressOf({ base: entry(base), head: entry(head), config, manifest: manifest(k) });
    if (progress.decided) return { base, head, progress };
  }
  return { base, head, progress: progressOf({ base: entry(base), head: entry(head), config, manifest: manifest(k) }) };
}

function verdictOf(base: readonly Restart[], head: readonly Restart[], k: number) {
  const file = (arm: 'base' | 'head', restarts: readonly Restart[]) => ({
    schema: 'model-gate/measurement@1' as const,
    createdAt: '2026-12-01T10:00:00Z',
    tool: { name: 'test', version: '1' },
    session: 's',
    arm,
    environment: { class: 'c', facts: {} },
    manifest: manifest(k),
    entries: [entry(restarts)],
  });
  return judge({ base: file('base', base), head: file('head', head), config, today: '2026-12-01' });
}

describe('progressOf', () => {
  it('is decided exactly when the verdict on the same files is, with the same answer', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const shift = [0, 0.02, 0.05, 0.1][seed % 4] ?? 0;
      const { base, head, progress } = measure(shift, 0.01, 30, seed);
      const verdict = verdictOf(base, head, 30);
      expect(LOOKS).toContain(base.length);
      expect([progress.failed, progress.decided]).toEqual([
        verdict.outcome === 'fail',
        verdict.outcome !== 'no-verdict' || progress.futile,
      ]);
      expect(verdict.rows[0]?.restarts).toBe(base.length);
    }
  });

  it('stops an unchanged quiet case after the first look', () => {
    expect(measure(0, 0.003, 30, 3).base).toHaveLength(6);
  });

  it('puts suspects first and says how many restarts they need', () => {
    const arm = (value: number) =>
      Array.from({ length: 6 }, (_, index) => restart(index, { 'latency.p50': value * (1 + index / 1000) }));
    const at = (value: number) =>
      progressOf({ base: entry(arm(1)), head: entry(arm(value)), config, manifest: manifest(30) });
    expect(at(1.2)).toMatchObject({ decided: false, undecidedMetrics: ['latency.p50'], expectedFurtherRestarts: 7 });
    expect(at(1.2).suspicion).toBeLessThan(at(1.03).suspicion);
    expect(at(1)).toMatchObject({ decided: true, undecidedMetrics: [], suspicion: 1, failed: false });
  });

  it('does not decide between looks', () => {
    const arm = (count: number, value: number) =>
      Array.from({ length: count }, (_, index) => restart(index, { 'latency.p50': value }));
    const at = (count: number) =>
      progressOf({ base: entry(arm(count, 1)), head: entry(arm(count, 1.2)), config, manifest: manifest(3) });
    expect([6, 7, 8, 9].map((count) => at(count).decided)).toEqual([false, false, false, true]);
  });

  it('gives up on a case whose restarts keep failing', () => {
    const arm = Array.from({ length: 9 }, (_, index) => restart(index, { 'latency.p50': 1 }, index % 2 === 0));
    expect(progressOf({ base: entry(arm), head: entry(arm), config, manifest: manifest(1) })).toMatchObject({
      decided: true,
      futile: true,
    });
  });

  it('needs no more than the first look for rows that nobody gates', () => {
    const arm = (value: number) => Array.from({ length: 6 }, (_, index) => restart(index, { 'latency.mean': value }));
    expect(progressOf({ base: entry(arm(1)), head: entry(arm(1.03)), config, manifest: manifest(0) }).decided).toBe(
      true,
    );
  });
});
