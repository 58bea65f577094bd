import type { RowFinding } from '../../src/compare/row-finding.ts';
import { openDuet } from './duet-source.ts';
import { seededChance } from './noise.ts';
import { judgeCase } from './our-rule.ts';
import { SCENARIOS } from './scenarios.ts';

interface Example {
  readonly noise: string;
  readonly change: number;
  readonly seed: number;
}

/** Simulated cases that end in each way; the picture shows what the rule really said of them. */
const EXAMPLES: readonly Example[] = [
  { noise: 'quiet', change: 0, seed: 1 },
  { noise: 'quiet', change: 0.02, seed: 5 },
  { noise: 'lognormal', change: 0.01, seed: 2 },
  { noise: 'lognormal', change: 0.03, seed: 3 },
  { noise: 'lognormal', change: 0.05, seed: 4 },
];

const WIDTH = 760;
const ROW = 44;
const TOP = 56;
const [LEFT, RIGHT] = [230, 610];
const [FROM, TO] = [-0.1, 0.1];

/** An SVG of p50 rows: each interval against the margin of 3 %, with its status. */
export function drawPicture(): string {
  const bottom = TOP + EXAMPLES.length * ROW;
  const margin = x(0.03);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 44}" font-family="sans-serif" font-size="13" role="img">`,
    '<title>Intervals of the change of p50 against the margin of 3 %</title>',
    `<rect width="${WIDTH}" height="${bottom + 44}" fill="#fff"/>`,
    `<rect x="${margin}" y="30" width="${RIGHT - margin}" height="${bottom - 30}" fill="#fdecea"/>`,
    `<line x1="${x(0)}" x2="${x(0)}" y1="30" y2="${bottom}" stroke="#999" stroke-dasharray="3 3"/>`,
    `<line x1="${margin}" x2="${margin}" y1="30" y2="${bottom}" stroke="#c0392b" stroke-width="2"/>`,
    `<text x="${margin + 6}" y="24" fill="#c0392b">margin 3 %</text>`,
    ...EXAMPLES.map((example, index) => drawExample(example, TOP + index * ROW + 10)),
    ...[-0.1, -0.05, 0, 0.05, 0.1].map(
      (value) => `<text x="${x(value)}" y="${bottom + 18}" text-anchor="middle" fill="#555">${signed(value)} %</text>`,
    ),
    `<text x="${(LEFT + RIGHT) / 2}" y="${bottom + 38}" text-anchor="middle" fill="#555">change of p50: estimate and interval at the row level</text>`,
    '</svg>',
    '',
  ].join('\n');
}

function drawExample({ noise, change, seed }: Example, y: number): string {
  const scenario = SCENARIOS.find(({ id }) => id === noise);
  if (!scenario) throw new Error(`no noise is called ${noise}`);
  const { p50 } = judgeCase(openDuet(scenario, seededChance(seed), { log: Math.log1p(change) }));
  const [low, high] = p50.interval ?? [null, null];
  const [from, to] = [x(low ?? FROM), x(high ?? TO)];
  const { status, colour } = statusOf(p50);
  return [
    `<text x="10" y="${y}" fill="#222">truly ${signed(change)} %, ${noise}</text>`,
    `<text x="10" y="${y + 15}" fill="#777" font-size="11">${p50.n} restarts</text>`,
    `<line x1="${from}" x2="${to}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="3"/>`,
    ...[from, to].map(
      (end) => `<line x1="${end}" x2="${end}" y1="${y - 6}" y2="${y + 6}" stroke="${colour}" stroke-width="2"/>`,
    ),
    `<circle cx="${x(p50.change ?? 0)}" cy="${y}" r="5" fill="${colour}"/>`,
    `<text x="${RIGHT + 12}" y="${y + 4}" fill="${colour}">${status}</text>`,
  ].join('\n');
}

function statusOf({ decision }: RowFinding): { status: string; colour: string } {
  switch (decision) {
    case 'within':
      return { status: 'pass', colour: '#1e8449' };
    case 'beyond':
      return { status: 'regressed', colour: '#c0392b' };
    case 'undecided':
      return { status: 'inconclusive', colour: '#8a6d00' };
    case 'invalid':
    case 'not-judged':
      throw new Error('an example must be judged');
  }
}

function x(change: number): number {
  const clamped = Math.min(TO, Math.max(FROM, change));
  return Math.round(LEFT + ((clamped - FROM) / (TO - FROM)) * (RIGHT - LEFT));
}

function signed(value: number): string {
  const rounded = Math.round(value * 1000) / 10;
  return rounded > 0 ? `+${rounded}` : String(rounded).replace('-', '−');
}
