import jstat from 'jstat';
import type { StoredSession } from '../../src/baseline/baseline-schema.ts';
import { judgeStored } from '../../src/compare/stored.ts';
import { seededRandom } from '../levels/random.ts';
import { seededNormal } from './random.ts';
import { printTable } from './table.ts';

const METRIC = { id: 'latency.p50', unit: 'ms', better: 'lower' } as const;
const TRIALS = Number(process.argv[2] ?? 1000);
const RESTARTS = 6;
const RESTART_SD = 0.004;

/** What makes one day differ from another. */
interface World {
  readonly name: string;
  /** Spread between sessions that the reference workload shares. */
  readonly day: number;
  /** Spread between sessions of the model alone. */
  readonly own: number;
  /** Chance and size of a slow mode of the model alone. */
  readonly mode: readonly [number, number];
  readonly autocorrelation: number;
  /** Spread between hosts, which the reference shares; sessions take one of four. */
  readonly hosts: number;
}

const QUIET: World = { name: '', day: 0.02, own: 0.004, mode: [0, 0], autocorrelation: 0, hosts: 0 };
const WORLDS: readonly World[] = [
  { ...QUIET, name: 'days 2 %, model 0.4 %' },
  { ...QUIET, name: 'days 15 %, model 0.4 %', day: 0.15 },
  { ...QUIET, name: 'days 2 %, model 1 %', own: 0.01 },
  { ...QUIET, name: 'drifting days (0.9)', autocorrelation: 0.9, day: 0.05 },
  { ...QUIET, name: 'two modes, slow 15 %', mode: [0.15, 0.1] },
  { ...QUIET, name: 'two modes, slow 40 %', mode: [0.4, 0.1] },
  { ...QUIET, name: 'four hosts, 10 % apart', hosts: 0.1 },
];

interface Draw {
  readonly restarts: number[];
  readonly reference: number[];
  readonly host: string;
}

/** Sessions of one unchanged model in a world; consecutive ones correlate by the world's autocorrelation. */
function sessionsOf(world: World, normal: () => number, uniform: () => number): () => Draw {
  const hosts = Array.from({ length: world.hosts > 0 ? 4 : 1 }, () => world.hosts * normal());
  let drift = normal();
  return () => {
    drift = world.autocorrelation * drift + Math.sqrt(1 - world.autocorrelation ** 2) * normal();
    const host = Math.floor(uniform() * hosts.length);
    const common = world.day * drift + (hosts[host] ?? 0);
    const own = world.own * normal() + (uniform() < world.mode[0] ? world.mode[1] : 0);
    const draw = (level: number) => Array.from({ length: RESTARTS }, () => Math.exp(level + RESTART_SD * normal()));
    return { restarts: draw(common + own), reference: draw(common), host: `h${host}` };
  };
}

function toStored(draw: Draw, index: number): StoredSession {
  return {
    session: `s${index}`,
    acceptedAt: '2026-12-01T00:00:00Z',
    epoch: 1,
    commit: null,
    sha256: 'a',
    host: draw.host,
    case: 'c',
    workload: 'w',
    arm: { runtime: 'r', session: 's' },
    metrics: { [METRIC.id]: { ...draw, ratioToPrevious: { log: 0, se: 0 } } },
  };
}

const center = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const slower = (draw: Draw, factor: number): Draw => ({
  ...draw,
  restarts: draw.restarts.map((value) => value * factor),
});

/** Whether a rule on the history's own means calls head slower: mean + quantile × sd. */
function exceeds(history: readonly Draw[], head: Draw, quantile: (count: number) => number): boolean {
  const means = history.map((draw) => center(draw.restarts));
  const mean = center(means);
  const sd = Math.sqrt(means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1));
  return center(head.restarts) > mean + quantile(means.length) * sd;
}

const rows: string[][] = [['world', 'sessions', 'rule', 'false alarms', '+5 %', '+10 %', '+20 %', 'not judged']];
for (const world of WORLDS) {
  for (const count of [10, 30]) {
    const normal = seededNormal(5);
    const uniform = seededRandom(6);
    const tally = { stored: [0, 0, 0, 0], t: [0, 0, 0, 0], z: [0, 0, 0, 0], advisory: 0 };
    for (let trial = 0; trial < TRIALS; trial++) {
      const next = sessionsOf(world, normal, uniform);
      const history = Array.from({ length: count }, next);
      const today = [next(), next()] as const;
      for (const [index, factor] of [1, 1.05, 1.1, 1.2].entries()) {
        const [first, second] = today.map((draw) => slower(draw, factor)) as [Draw, Draw];
        const judge = (head: Draw[]) =>
          judgeStored({
            metric: METRIC,
            margin: { fraction: 0.03, floor: 0 },
            marginSource: 'default',
            workload: 'w',
            host: first.host,
            head,
            sessions: history.map(toStored),
            k: 1,
          });
        const once = judge([first]);
        if (index === 0 && once.role === 'advisory') tally.advisory++;
        if (once.needsSecondSession && judge([first, second]).status === 'regressed') add(tally.stored, index);
        if (exceeds(history, first, (n) => jstat.studentt.inv(0.99, n - 1) * Math.sqrt(1 + 1 / n))) add(tally.t, index);
        if (exceeds(history, first, () => jstat.normal.inv(0.99, 0, 1))) add(tally.z, index);
      }
    }
    for (const rule of ['stored', 't', 'z'] as const) {
      const shares = tally[rule].map((hits) => `${((100 * hits) / TRIALS).toFixed(1)} %`);
      const advisory = rule === 'stored' ? `${((100 * tally.advisory) / TRIALS).toFixed(1)} %` : '';
      rows.push([world.name, String(count), rule, ...shares, advisory]);
    }
  }
}
printTable(rows);

function add(hits: number[], index: number): void {
  hits[index] = (hits[index] ?? 0) + 1;
}
