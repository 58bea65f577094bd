import type { Interval } from './walsh.ts';

/** What the restarts say of one row, before the verdict puts it in words. `change` and `interval` are in the value's own direction, `margin` and `detectable` are sizes. */
export interface RowFinding {
  readonly decision: 'within' | 'beyond' | 'undecided' | 'invalid' | 'not-judged';
  /** The rule that was broken or is still open. */
  readonly by: 'margin' | 'max-increase' | 'max' | 'min' | null;
  /** Medians over the restarts that decided, canonical unit. */
  readonly base: number | null;
  readonly head: number | null;
  readonly change: number | null;
  readonly interval: Interval | null;
  readonly margin: number | null;
  /** Restarts that decided, or all that were reached. */
  readonly n: number;
  readonly proven: 'worse' | 'better' | null;
  /** Better by more than the margin, at the family level. */
  readonly improved: boolean;
  /** Beyond at the row level, not proven among the k rows of the family. */
  readonly suspected: boolean;
  /** Within the waiver's ceiling only. */
  readonly waived: boolean;
  readonly detectable: number | null;
  readonly furtherRestarts: number | null;
  /** p-value of "worse by more than is allowed"; 1 where there is no such test. */
  readonly pBeyond: number;
  /** More restarts would hardly settle it. */
  readonly futile: boolean;
  /** Why the row is invalid. */
  readonly fault: string | null;
}

/** A finding that says nothing yet. */
export const NO_FINDING: RowFinding = {
  decision: 'not-judged',
  by: null,
  base: null,
  head: null,
  change: null,
  interval: null,
  margin: null,
  n: 0,
  proven: null,
  improved: false,
  suspected: false,
  waived: false,
  detectable: null,
  furtherRestarts: null,
  pBeyond: 1,
  futile: false,
  fault: null,
};

/** The finding of a row whose values can't be judged. */
export function invalidFinding(fault: string, n: number): RowFinding {
  return { ...NO_FINDING, decision: 'invalid', fault, n };
}
