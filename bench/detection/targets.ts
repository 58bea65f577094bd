import type { ScenarioResult } from './results.ts';
import { type Share, wilson } from './wilson.ts';

/** A promise about one kind of noise, and what came out. */
export interface Target {
  readonly id: 'fail' | 'pass' | 'fail5' | 'pass5' | 'fail10' | 'restarts';
  readonly text: string;
  readonly isMet: boolean;
}

const LEAST_PASS: Readonly<Record<string, number>> = { bimodal: 0.97, autocorrelated: 0.97, 'all together': 0.97 };
const LEAST_FAIL: Readonly<Record<string, number>> = { bimodal: 0.7, autocorrelated: 0.9, 'all together': 0.95 };
const MOST_FALSE_FAIL = 0.005;
const MOST_PASS_AT_FIVE = 0.001;
const MOST_RESTARTS_WHEN_QUIET = 7;

/** Targets at 3 % margin and 30 rows; null for recordings, which hold too few restarts to promise anything. */
export function targetsOf(result: ScenarioResult): Target[] | null {
  if (result.id.startsWith('recorded')) return null;
  const { unchanged, changed } = result;
  const [five, ten] = [changed[5], changed[10]];
  if (!five || !ten) return null;
  const leastPass = LEAST_PASS[result.id] ?? 0.99;
  const leastFail = LEAST_FAIL[result.id] ?? 0.99;
  return [
    {
      id: 'fail',
      text: `false FAIL at most ${percent(MOST_FALSE_FAIL)}`,
      isMet: wilson(unchanged.fail)[1] <= MOST_FALSE_FAIL,
    },
    { id: 'pass', text: `PASS at least ${percent(leastPass)}`, isMet: rate(unchanged.pass) >= leastPass },
    { id: 'fail5', text: `+5 % FAILs at least ${percent(leastFail)}`, isMet: rate(five.fail) >= leastFail },
    {
      id: 'pass5',
      text: `+5 % PASSes at most ${percent(MOST_PASS_AT_FIVE)}`,
      isMet: rate(five.pass) <= MOST_PASS_AT_FIVE,
    },
    { id: 'fail10', text: '+10 % always FAILs', isMet: ten.fail.hits === ten.fail.n },
    ...(result.id === 'quiet'
      ? [
          {
            id: 'restarts' as const,
            text: `median restarts at most ${MOST_RESTARTS_WHEN_QUIET}`,
            isMet: quantileOfCounts(unchanged.restarts, 0.5) <= MOST_RESTARTS_WHEN_QUIET,
          },
        ]
      : []),
  ];
}

/** Smallest number of restarts that `share` of the counted cases did not exceed; NaN where none was counted. */
export function quantileOfCounts(counts: Readonly<Record<number, number>>, share: number): number {
  const entries = Object.entries(counts).map(([restarts, cases]) => [Number(restarts), cases] as const);
  const total = entries.reduce((sum, [, cases]) => sum + cases, 0);
  let seen = 0;
  for (const [restarts, cases] of entries.sort((a, b) => a[0] - b[0])) {
    seen += cases;
    if (seen >= share * total) return restarts;
  }
  return Number.NaN;
}

function rate({ hits, n }: Share): number {
  return hits / n;
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10} %`;
}
