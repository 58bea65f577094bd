import { z } from 'zod';
import { environmentSchema, noteSchema } from '../measure/measurement.ts';

export const VERDICT_SCHEMA = 'model-gate/verdict@1';

export const OUTCOMES = ['pass', 'fail', 'no-verdict', 'refused'] as const;
export const STATUSES = [
  'pass',
  'unchanged',
  'improved',
  'regressed',
  'inconclusive',
  'incomparable',
  'no-baseline',
  'missing',
  'new',
  'invalid',
  'waived',
  'reported',
] as const;

const fraction = z.number().nullable();
const side = z.object({ commit: z.string().nullable(), session: z.string().nullable() });

export const rowSchema = z.object({
  case: z.string(),
  metric: z.string(),
  comparison: z.enum(['paired', 'stored', 'creep']),
  role: z.enum(['gated', 'advisory', 'reported']),
  status: z.enum(STATUSES),
  /** Medians over valid restarts in the canonical unit. */
  base: z.number().nullable(),
  head: z.number().nullable(),
  unit: z.string(),
  better: z.enum(['lower', 'higher']),
  /** Paired estimate; +0.08 = the value is 8 % higher, whichever direction is better. */
  change: fraction,
  /** Walsh interval at the row level, in the direction of `change`; an unbounded end is null. */
  interval: z.tuple([fraction, fraction]).nullable(),
  margin: fraction,
  /** Absolute limits on head in force, canonical unit. */
  limit: z.object({ max: fraction, min: fraction, maxIncrease: fraction }).nullable(),
  restarts: z.int().nonnegative(),
  /** Smallest change this run could have proven at its k and restarts. */
  detectable: fraction,
  /** One sentence a person understands, with the next step where there is one. */
  reason: z.string(),
  /** Beyond the margin and proven at the family level though the row does not decide (advisory), or better/worse in words. */
  proven: z.enum(['worse', 'better']).nullable(),
  /** Further restarts that would settle an inconclusive row; null where unknown or not needed. */
  furtherRestarts: z.int().nullable(),
  warnings: z.array(noteSchema),
});

export const verdictSchema = z.object({
  schema: z.literal(VERDICT_SCHEMA),
  outcome: z.enum(OUTCOMES),
  /** Gated rows by status; advisory and reported rows are not counted. */
  counts: z.partialRecord(z.enum(STATUSES), z.int().nonnegative()),
  seed: z.string(),
  base: side,
  head: side,
  mode: z.string(),
  durationS: z.number(),
  environment: environmentSchema,
  notes: z.array(noteSchema),
  rows: z.array(rowSchema),
});

export type Outcome = (typeof OUTCOMES)[number];
export type Status = (typeof STATUSES)[number];
export type Row = Readonly<z.infer<typeof rowSchema>>;
export type Verdict = Readonly<z.infer<typeof verdictSchema>>;

/** Process exit code of an outcome; 1 only ever means fail. */
export function exitCodeOf(outcome: Outcome): number {
  switch (outcome) {
    case 'pass':
      return 0;
    case 'fail':
      return 1;
    case 'no-verdict':
      return 2;
    case 'refused':
      return 3;
  }
}
