import { fisherFewerInB } from './fisher.ts';
import { reachedLooks } from './looks.ts';
import type { Family } from './paired-row.ts';
import type { Allowance } from './threshold.ts';

/** What the two-sample counting rule says of a memory row. */
export interface MemoryDecision {
  readonly decision: 'within' | 'beyond' | 'undecided';
  /** Restarts seen when it was decided, or all that were reached. */
  readonly n: number;
  /** Head restarts at or below the allowed peak. */
  readonly within: number;
  /** Fisher's p-value that head has fewer restarts at or below the allowed peak. */
  readonly p: number;
  readonly level: number;
  readonly proven: 'worse' | 'better' | null;
  /** Allowed peak after n restarts, and which allowance sets it. */
  readonly allowed: number;
  readonly by: 'margin' | 'max-increase';
}

const PASS_LEVEL = 0.05;
const FAMILY_TOTAL = 0.05;

/**
 * Judges peak memory, which has modes: t = (1 + margin) × min(base) + floor. Beyond: no head restart at or
 * below t, and Fisher's exact p for the counts at or below t ≤ .05 ÷ (memory rows × looks). Within: some
 * head restart at or below t, and that p > .05. Replayed through the looks; the first decision stands.
 */
export function judgeMemoryRow(
  base: readonly number[],
  head: readonly number[],
  allowance: Allowance,
  family: Family,
): MemoryDecision {
  const level = memoryLevel(family);
  let last = decideAt(base, head, allowance, level);
  for (const look of reachedLooks(family, base.length, 1)) {
    last = decideAt(base.slice(0, look.n), head.slice(0, look.n), allowance, level);
    if (last.decision !== 'undecided') return last;
  }
  return { ...last, decision: 'undecided' };
}

/** Level of one look at one memory row: .05 shared by all of them. */
export function memoryLevel(family: Family): number {
  return FAMILY_TOTAL / (Math.max(1, family.memoryRows) * Math.max(1, family.looks.length));
}

function decideAt(
  base: readonly number[],
  head: readonly number[],
  allowance: Allowance,
  level: number,
): MemoryDecision {
  const { allowed, by } = allowedPeak(base, allowance);
  const within = head.filter((value) => value <= allowed).length;
  const p = fewerWithin(base, head, allowed);
  const isBeyond = within === 0 && p <= level;
  const mirrored = allowedPeak(head, allowance).allowed;
  const isBetter = base.every((value) => value > mirrored) && fewerWithin(head, base, mirrored) <= level;
  return {
    decision: isBeyond ? 'beyond' : within > 0 && p > PASS_LEVEL ? 'within' : 'undecided',
    n: base.length,
    within,
    p,
    level,
    proven: isBeyond ? 'worse' : isBetter ? 'better' : null,
    allowed,
    by,
  };
}

function allowedPeak(base: readonly number[], { margin, maxIncrease }: Allowance) {
  const least = Math.min(...base);
  const byMargin = margin ? (1 + margin.fraction) * least + margin.floor : Number.POSITIVE_INFINITY;
  const byIncrease = maxIncrease === null ? Number.POSITIVE_INFINITY : least + maxIncrease;
  return { allowed: Math.min(byMargin, byIncrease), by: byIncrease < byMargin ? 'max-increase' : 'margin' } as const;
}

function fewerWithin(base: readonly number[], head: readonly number[], allowed: number): number {
  const hitsA = base.filter((value) => value <= allowed).length;
  const hitsB = head.filter((value) => value <= allowed).length;
  return fisherFewerInB({ hitsA, missesA: base.length - hitsA, hitsB, missesB: head.length - hitsB });
}
