import { describe, expect, it } from '@jest/globals';
import { appendSessions } from '../../src/baseline/append-session.ts';
import { REFERENCE_ROUNDS } from '../../src/baseline/reference-workload.ts';
import { type Entry, type Measurement, measurementSchema } from '../../src/measure/measurement.ts';
import { sessionsToStore } from '../../src/publish/baseline-session.ts';
import { type Row, type Verdict, verdictSchema } from '../../src/verdict/verdict.ts';

const CASE = 'ranker/cpu/b8/c1';

function entry(factor: number, changes: Partial<Entry> = {}): Entry {
  return {
    subject: { model: 'ranker', sha256: `bytes-${factor}`, commit: `commit-${factor}` },
    case: { id: CASE, workload: 'w1', provider: 'cpu', batch: 8 },
    armFacts: { runtime: 'onnxruntime-node 1.30.0', provider: 'cpu', 'session.threads': 4 },
    metrics: {},
    restarts: [0, 1, 2, 3, 4, 5].map((index) => ({
      index,
      valid: true,
      notes: [],
      values: {
        'latency.p50': factor * (1 + index / 1000),
        throughput: 8000 / factor,
        'memory.host.peak': 9e7,
        'output.y.max-abs': 0,
      },
      rounds: { 'latency.p50': [factor, factor], [REFERENCE_ROUNDS]: [0.5, 0.6, 0.7] },
    })),
    ...changes,
  };
}

function measurement(arm: 'base' | 'head', entries: Entry[]): Measurement {
  return measurementSchema.parse({
    schema: 'model-gate/measurement@1',
    createdAt: '2026-12-01T10:00:00Z',
    tool: { name: 'model-gate', version: '0.1.0' },
    session: 'session-1',
    arm,
    commit: `${arm}-commit`,
    environment: { class: 'c1a55', facts: { 'cpu.model': 'EPYC', 'host.id': 'h1' } },
    entries,
  });
}

function row(changes: Partial<Row> = {}): Row {
  return {
    case: CASE,
    metric: 'latency.p50',
    comparison: 'paired',
    role: 'gated',
    status: 'pass',
    base: 1,
    head: 1.02,
    unit: 'ms',
    better: 'lower',
    change: 0.02,
    interval: [0.01, 0.03],
    margin: 0.03,
    limit: null,
    restarts: 6,
    detectable: 0.02,
    reason: '',
    proven: null,
    furtherRestarts: null,
    warnings: [],
    ...changes,
  };
}

function verdict(rows: Row[], outcome: Verdict['outcome'] = 'pass'): Verdict {
  return verdictSchema.parse({
    schema: 'model-gate/verdict@1',
    outcome,
    counts: {},
    seed: 's',
    base: { commit: null, session: null },
    head: { commit: null, session: null },
    mode: 'duet',
    durationS: 1,
    environment: { class: 'c1a55', facts: {} },
    notes: [],
    rows,
  });
}

function store(
  rows: Row[],
  head: Entry[] = [entry(1.02)],
  base: Entry[] | null = [entry(1)],
  outcome?: Verdict['outcome'],
) {
  return sessionsToStore({
    base: base && measurement('base', base),
    head: measurement('head', head),
    verdict: verdict(rows, outcome),
    acceptedAt: '2026-12-01T11:00:00Z',
  });
}

describe('sessions to store', () => {
  it('hold head’s restarts, the reference workload of the same restarts, and the ratio to base', () => {
    const [group] = store([row()]);
    const [session] = group?.sessions ?? [];
    expect(group?.whyNot).toBeNull();
    expect(group?.header).toEqual({ model: 'ranker', class: 'c1a55', facts: { 'cpu.model': 'EPYC' } });
    expect(session).toMatchObject({
      session: 'session-1',
      acceptedAt: '2026-12-01T11:00:00Z',
      commit: 'commit-1.02',
      host: 'h1',
      case: CASE,
      workload: 'w1',
      sha256: 'bytes-1.02',
      arm: { runtime: 'onnxruntime-node 1.30.0', session: 'provider=cpu session.threads=4' },
      base: { sha256: 'bytes-1' },
    });
    const p50 = session?.metrics['latency.p50'];
    expect(p50?.restarts).toEqual([1.02, 1.02102, 1.02204, 1.02306, 1.02408, 1.0251]);
    expect(p50?.reference).toEqual(Array(6).fill(0.6));
    expect(p50?.ratioToBase?.log).toBeCloseTo(Math.log(1.02), 6);
    expect(p50?.ratioToBase?.se).toBeLessThan(1e-6);
    expect(session?.metrics['throughput']?.reference[0]).toBe(1666.67);
    expect(session?.metrics['memory.host.peak']?.reference).toEqual([]);
    expect(Object.keys(session?.metrics ?? {})).not.toContain('output.y.max-abs');
  });

  it('become a baseline that parses', () => {
    const [group] = store([row()]);
    const baseline = group && appendSessions(null, group.header, group.sessions);
    expect(baseline?.sessions[0]?.metrics['latency.p50']?.ratioToPrevious).toBeNull();
  });

  it('have no reference where one restart lacks it', () => {
    const head = entry(1);
    const [first, ...rest] = head.restarts;
    if (first === undefined) throw new Error('no restart');
    const [group] = store([row()], [{ ...head, restarts: [{ ...first, rounds: {} }, ...rest] }]);
    expect(group?.sessions[0]?.metrics['latency.p50']?.reference).toEqual([]);
  });

  it('are never equal by bytes nobody knows', () => {
    const unknown = (factor: number) => entry(factor, { subject: { model: 'ranker' } });
    const [session] = store([row()], [unknown(1.02)], [unknown(1)])[0]?.sessions ?? [];
    expect(session?.sha256).not.toBe(session?.base?.sha256);
  });

  it('of a new model have no ratio', () => {
    const [session] = store([row({ status: 'new' })], [entry(1)], null)[0]?.sessions ?? [];
    expect(session?.base).toBeNull();
    expect(session?.metrics['latency.p50']?.ratioToBase).toBeNull();
  });

  it.each([
    ['regressed', /did not pass \(latency\.p50 of ranker\/cpu\/b8\/c1 is regressed\)/],
    ['inconclusive', /did not pass/],
    ['incomparable', /did not pass/],
    ['missing', /did not pass/],
    ['invalid', /did not pass/],
    ['no-baseline', /did not pass/],
  ] as const)('that are %s are held back, though they can be accepted with a reason', (status, why) => {
    const [group] = store([row({ status })], undefined, undefined, 'fail');
    expect(group?.whyNot).toMatch(why);
    expect(group?.sessions).toHaveLength(1);
  });

  it.each(['pass', 'improved', 'unchanged', 'waived', 'new'] as const)('that are %s are stored', (status) => {
    expect(store([row({ status })])[0]?.whyNot).toBeNull();
  });

  it('are held back where creep failed, or where too few restarts were healthy', () => {
    expect(store([row(), row({ comparison: 'creep', status: 'regressed' })])[0]?.whyNot).toMatch(/did not pass/);
    const head = entry(1);
    const sick = head.restarts.map((restart) => ({ ...restart, valid: restart.index < 5 }));
    expect(store([row()], [{ ...head, restarts: sick }])[0]?.whyNot).toMatch(/too few valid restarts/);
    const fault = { kind: 'not-measured', reason: 'x' } as const;
    expect(store([row()], [{ ...head, fault }])[0]?.whyNot).toMatch(/too few valid restarts/);
    expect(store([row()], undefined, undefined, 'refused')[0]?.whyNot).toMatch(/refused/);
  });

  it('of one model do not suffer for another’s failure', () => {
    const other = entry(1, {
      subject: { model: 'other', sha256: 'x' },
      case: { id: 'other/cpu/b1/c1', workload: 'w' },
    });
    const groups = store([row(), row({ case: 'other/cpu/b1/c1', status: 'regressed' })], [entry(1), other]);
    expect(groups.map((group) => [group.header.model, group.whyNot === null])).toEqual([
      ['ranker', true],
      ['other', false],
    ]);
  });

  it('leave out the anchor’s run and what was not measured because nothing changed', () => {
    const anchor = entry(1, { comparison: 'creep' });
    const unchanged = entry(1, { unchanged: true, restarts: [], case: { id: 'ranker/cpu/b1/c1', workload: 'w' } });
    const [group] = store([row()], [entry(1.02), anchor, unchanged]);
    expect(group?.whyNot).toBeNull();
    expect(group?.sessions.map((session) => session.case)).toEqual([CASE]);
  });
});
