import { duet, history, MARGIN, type Outcome } from './creep-history.ts';
import { seededNormal } from './random.ts';
import { printTable } from './table.ts';

const HISTORIES = Number(process.argv[2] ?? 300);

function quantile(values: readonly number[], share: number): string {
  const value = [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))];
  return value === undefined || value === Number.POSITIVE_INFINITY ? 'never' : String(value);
}

const rows: string[][] = [
  [
    'steps',
    'spread a restart',
    'decided by',
    'failed, %',
    'at step: p10',
    'median',
    'p90',
    'anchor runs',
    'no verdict',
  ],
];
for (const [steps, step] of [
  [10, 0.01],
  [25, 0],
  [25, 0.001],
] as const) {
  for (const sigma of [0.003, 0.005, 0.01]) {
    for (const decider of ['anchor', 'chain'] as const) {
      const normal = seededNormal(11);
      const outcomes = Array.from({ length: HISTORIES }, () =>
        history(steps, Math.log1p(step), sigma, decider, normal),
      );
      const at = outcomes.map((outcome) => outcome.failedAt);
      const mean = (pick: (outcome: Outcome) => number) =>
        (outcomes.reduce((sum, o) => sum + pick(o), 0) / HISTORIES).toFixed(1);
      rows.push([
        `${steps} × +${step * 100} %`,
        `${sigma * 100} %`,
        decider,
        ((100 * at.filter(Number.isFinite).length) / HISTORIES).toFixed(1),
        quantile(at, 0.1),
        quantile(at, 0.5),
        quantile(at, 0.9),
        mean((outcome) => outcome.anchorRuns),
        mean((outcome) => outcome.noVerdicts),
      ]);
    }
  }
}
printTable(rows);

const innocent = seededNormal(13);
const own = Array.from({ length: 10 * HISTORIES }, () => duet(0, 0.005, MARGIN, innocent));
const blamed = own.filter(({ ownLow }) => ownLow !== null && ownLow > 0).length;
console.log(
  `\ninnocent pull requests after the line was crossed that are blamed: ${((100 * blamed) / own.length).toFixed(2)} %`,
);
