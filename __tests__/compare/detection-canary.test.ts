import { describe, expect, it } from '@jest/globals';
import { openDuet } from '../../bench/detection/duet-source.ts';
import { PER_ROUND, ROUNDS, seededChance, startProcess } from '../../bench/detection/noise.ts';
import { CASES_PER_CHANGE, type CaseOutcome, judgeCase, judgeP50, reduceRows } from '../../bench/detection/our-rule.ts';
import { simulateEvidence } from '../../bench/detection/peer-evidence.ts';
import { prepareEvidence, reportsRegression } from '../../bench/detection/peer-rules.ts';
import { mannWhitneyP } from '../../bench/detection/rank-sum.ts';
import { summariseRestart } from '../../bench/detection/restart-summary.ts';
import { SCENARIOS, type Scenario } from '../../bench/detection/scenarios.ts';
import { anyOf, wilson } from '../../bench/detection/wilson.ts';
import type { ValidPair } from '../../src/compare/pairing.ts';
import { progressOf } from '../../src/compare/progress.ts';
import type { Entry, Measurement, Restart } from '../../src/measure/measurement.ts';
import { restartValues } from '../../src/measure/restart-values.ts';
import { LOOKS } from '../../src/plan/time-budget.ts';
import { judge } from '../../src/verdict/judge.ts';

function scenario(id: string): Scenario {
  const found = SCENARIOS.find((entry) => entry.id === id);
  if (!found) throw new Error(`no scenario ${id}`);
  return found;
}

function simulate(id: string, change: number, cases: number, seed: number): CaseOutcome[] {
  const chance = seededChance(seed);
  return Array.from({ length: cases }, () => judgeCase(openDuet(scenario(id), chance, { log: Math.log1p(change) })));
}

function countRows(cases: readonly CaseOutcome[], row: 'p50' | 'p95' | 'memory', decision: string): number {
  return cases.filter((found) => found[row].decision === decision).length;
}

describe('the rule on seeded noise', () => {
  it.each(SCENARIOS.map(({ id }) => id))('%s: fails nothing where nothing changed', (id) => {
    const cases = simulate(id, 0, 60, 11);
    expect(cases.filter(({ p50, p95, memory }) => reduceRows([p50, p95, memory]) === 'fail')).toEqual([]);
    expect(countRows(cases, 'p50', 'within')).toBeGreaterThanOrEqual(57);
  });

  it.each(SCENARIOS.map(({ id }) => id))('%s: fails every slow-down of 10 %, and passes none of 5 %', (id) => {
    const decisions = (change: number, seed: number) => {
      const chance = seededChance(seed);
      const open = () => openDuet(scenario(id), chance, { log: Math.log1p(change) });
      return Array.from({ length: 30 }, () => judgeP50(open()).decision);
    };
    expect(new Set(decisions(0.1, 12))).toEqual(new Set(['beyond']));
    expect(decisions(0.05, 13)).not.toContain('within');
  });

  it('passes unchanged cases of a quiet machine after six restarts', () => {
    expect(new Set(simulate('quiet', 0, 100, 14).map(({ restarts }) => restarts))).toEqual(new Set([6]));
  });
});

/** Restarts of a case, kept so that both ways of judging see the same ones. */
function record(id: string, change: number, seed: number): { next: (index: number) => ValidPair; pairs: ValidPair[] } {
  const open = openDuet(scenario(id), seededChance(seed), { log: Math.log1p(change) });
  const pairs: ValidPair[] = [];
  return { pairs, next: (index) => (pairs[index] ??= open(index)) };
}

function entry(caseId: string, restarts: readonly Restart[]): Entry {
  return {
    subject: { model: caseId.split('/')[0] ?? '' },
    case: { id: caseId, provider: 'cpu', workload: 'w' },
    metrics: {},
    restarts: [...restarts],
  };
}

function file(arm: 'base' | 'head', entries: readonly Entry[]): Measurement {
  return {
    schema: 'model-gate/measurement@1',
    createdAt: '2026-12-01T10:00:00Z',
    tool: { name: 'test', version: '1' },
    session: 's',
    arm,
    environment: { class: 'c', facts: {} },
    entries: [...entries],
  };
}

const DECISIONS: Readonly<Record<string, string>> = {
  pass: 'within',
  improved: 'within',
  regressed: 'beyond',
  inconclusive: 'undecided',
};

describe('the simulation', () => {
  it.each([
    ['all together', 0],
    ['autocorrelated', 0.05],
    ['bimodal', 0.02],
  ] as const)('decides as the verdict does: %s, change %d', (id, change) => {
    const cases = Array.from({ length: CASES_PER_CHANGE }, (_, at) => {
      const recorded = record(id, at === 0 ? change : 0, 100 + at);
      return { caseId: `m${at}/cpu/b1/c1`, outcome: judgeCase(recorded.next), pairs: recorded.pairs };
    });
    const entries = (arm: 'base' | 'head') =>
      cases.map(({ caseId, pairs }) =>
        entry(
          caseId,
          pairs.map((pair) => pair[arm]),
        ),
      );
    const base = file('base', entries('base'));
    const { rows } = judge({ base, head: file('head', entries('head')), config: { version: 1 }, today: '2026-12-01' });
    for (const { caseId, outcome } of cases) {
      const decided = Object.fromEntries(
        rows.filter((row) => row.case === caseId).map((row) => [row.metric, DECISIONS[row.status]]),
      );
      expect(decided).toEqual({
        'latency.p50': outcome.p50.decision,
        'latency.p95': outcome.p95.decision,
        'memory.host.peak': outcome.memory.decision,
      });
    }
  });

  it('stops measuring a case where the engine does', () => {
    const manifest = { seed: 's', k: 2 * CASES_PER_CHANGE, memoryRows: CASES_PER_CHANGE, looks: [...LOOKS], rows: [] };
    for (let seed = 200; seed < 230; seed++) {
      const recorded = record('bimodal', 0.02, seed);
      const { restarts } = judgeCase(recorded.next);
      const stops = LOOKS.find((look) => {
        while (recorded.pairs.length < look) recorded.next(recorded.pairs.length);
        const [base, head] = (['base', 'head'] as const).map((arm) =>
          entry(
            'm/cpu/b1/c1',
            recorded.pairs.slice(0, look).map((pair) => pair[arm]),
          ),
        );
        if (!base || !head) throw new Error('two arms');
        return look === 41 || progressOf({ base, head, config: { version: 1 }, manifest }).decided;
      });
      expect(restarts).toBe(stops);
    }
  });

  it('summarises a restart as the engine does', () => {
    const times = new Float64Array(ROUNDS * PER_ROUND);
    startProcess(scenario('all together'), seededChance(3)).run(times, 0, times.length, 0);
    const rounds = Array.from({ length: ROUNDS }, (_, at) => [[...times.slice(at * PER_ROUND, (at + 1) * PER_ROUND)]]);
    const readings = {
      loadMs: null,
      firstInferenceMs: null,
      hostPeakBytes: 5,
      gpuPeakBytes: null,
      gpuWeightsBytes: null,
      floorMs: null,
    };
    const metrics = new Set(['latency.p50', 'latency.p95', 'memory.host.peak']);
    const real = restartValues(rounds, readings, { batch: 1, discard: 0, metrics });
    const { values, rounds: ownRounds } = summariseRestart(times, 5, 0);
    for (const id of metrics) expect(values[id]).toBeCloseTo(real.values[id] ?? Number.NaN, 12);
    ownRounds?.['latency.p50']?.forEach((median, at) => {
      expect(median).toBeCloseTo(real.rounds?.['latency.p50']?.[at] ?? Number.NaN, 12);
    });
  });
});

describe('the rules beside ours', () => {
  const share = (id: string, noise: string, factor: number, rows = 25): number => {
    const chance = seededChance(21);
    const flags = Array.from({ length: rows }, () =>
      reportsRegression(id, prepareEvidence(simulateEvidence(scenario(noise), chance)), factor),
    );
    return flags.filter(Boolean).length / rows;
  };

  it('cry wolf as they are known to: pooled iterations on any machine, base first on one that gets hot', () => {
    expect(share('pooled', 'quiet', 1)).toBeGreaterThan(0.1);
    expect(share('medians', 'thermal', 1)).toBe(1);
    expect(share('medians', 'quiet', 1)).toBeLessThan(0.1);
  });

  it.each(['ratio5', 'welch', 'pooled', 'medians', 't', 'z', 'criterion', 'nvbench'])(
    '%s finds +20 %% when quiet',
    (id) => {
      expect(share(id, 'quiet', 1.2)).toBe(1);
    },
  );

  it('a threshold of 200 % finds a doubling and more only', () => {
    expect(share('ratio200', 'quiet', 1.9)).toBe(0);
    expect(share('ratio200', 'quiet', 2.1)).toBe(1);
  });

  it('computes Mann-Whitney by the normal approximation with continuity', () => {
    const base = Float64Array.from([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const head = Float64Array.from([5.5, 6.5, 7.5, 8.5, 9.5, 11, 12, 13, 14, 15]);
    // 85 of 100 pairs: z = (85 - 50 - 1/2) / sqrt(10 · 10 · 21 / 12)
    expect(mannWhitneyP(base, head, 1)).toEqual({ p: expect.closeTo(0.009108, 5), isHeadLarger: true });
  });
});

describe('bounds', () => {
  it('are those of Wilson', () => {
    expect(wilson({ hits: 0, n: 2000 })[1]).toBeCloseTo(0.001917, 5);
    expect(wilson({ hits: 10, n: 20 })).toEqual([expect.closeTo(0.2993, 4), expect.closeTo(0.7007, 4)]);
  });

  it('grow with the rows of a pull request', () => {
    expect(anyOf(0.01, 30)).toBeCloseTo(0.2603, 4);
  });
});
