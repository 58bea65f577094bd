import type { Share } from './wilson.ts';

/** Sizes of a change, in percent; recorded traces have as many layers more in a hundred. */
export const CHANGES = [1, 2, 3, 5, 10] as const;

/** How much is simulated. */
export interface Sizes {
  /** Cases without a change; ten make a pull request. */
  readonly unchangedCases: number;
  /** Cases of each size of change. */
  readonly changedCases: number;
  /** Rows the other rules judge without a change; with one, `changedCases`. */
  readonly peerRows: number;
}

export const FULL: Sizes = { unchangedCases: 20_000, changedCases: 2_000, peerRows: 10_000 };
export const QUICK: Sizes = { unchangedCases: 1_000, changedCases: 100, peerRows: 300 };

/** What our rule made of cases without a change. */
export interface UnchangedResult {
  /** Of pull requests of 30 rows. */
  readonly fail: Share;
  readonly pass: Share;
  /** The same without p95 rows, and the restarts a case then takes. */
  readonly failWithoutTail: Share;
  readonly passWithoutTail: Share;
  readonly restartsWithoutTail: Readonly<Record<number, number>>;
  /** Of single p50 rows, and of pull requests of ten. */
  readonly failOfOne: Share;
  readonly failOfTen: Share;
  /** Of rows within their margin: those called improved, which nothing is. */
  readonly improved: Share;
  /** Cases whose row was left undecided, by row. */
  readonly open: Readonly<Record<'p50' | 'p95' | 'memory', number>>;
  /** Cases given up early as hardly decidable. */
  readonly futile: number;
  /** Cases by the number of restarts they took. */
  readonly restarts: Readonly<Record<number, number>>;
}

/** What our rule made of p50 rows whose model is slower. */
export interface ChangedResult {
  readonly fail: Share;
  readonly pass: Share;
  /** Failed p50 rows by the restarts that proved it. */
  readonly restarts: Readonly<Record<number, number>>;
}

/** What another rule reported, by size of change; 0 is none. Of single rows. */
export type PeerResult = Readonly<Record<number, Share>>;

export interface ScenarioResult {
  readonly id: string;
  readonly text: string;
  readonly sizes: Sizes;
  /** Standard deviation of one restart's log ratio without a change. */
  readonly spread: { readonly p50: number; readonly p95: number };
  /** Real size of each change where it was recorded, else as planted. */
  readonly realChanges: Readonly<Record<number, number>>;
  readonly unchanged: UnchangedResult;
  readonly changed: Readonly<Record<number, ChangedResult>>;
  readonly peers: Readonly<Record<string, PeerResult>>;
  readonly cpuS: number;
}

/** Results as stored, one a line. */
export function parseResults(text: string): ScenarioResult[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
