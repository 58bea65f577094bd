import { z } from 'zod';

export const BASELINE_SCHEMA = 'model-gate/baseline@1';

const finite = z.number();
const fact = z.union([z.string(), finite, z.boolean(), z.null()]);

/** Log of a ratio of values (own direction: positive = the value grew) and its standard error. */
export const ratioSchema = z.object({ log: finite, se: finite.nonnegative() });

/** The sum of the folded links of one case and metric since the anchor. */
export const foldedRatioSchema = ratioSchema.extend({
  /** Links that were measured, that is, not exactly 0. */
  steps: z.int().nonnegative().optional(),
  /** Degrees of freedom of `se` by Satterthwaite. */
  df: finite.positive().optional(),
  /** A link is missing: the sum does not reach the anchor. */
  broken: z.literal(true).optional(),
});

/** Runtime and session options of an arm, as text that is equal for equal arms. */
export const armIdentitySchema = z.object({ runtime: z.string(), session: z.string() });

export const storedMetricSchema = z.object({
  /** One value a restart, canonical unit. */
  restarts: z.array(finite),
  /** The reference workload in the same restarts; empty where it was not measured. */
  reference: z.array(finite),
  /** Against the session accepted before it; null where the two were never measured against each other. */
  ratioToPrevious: ratioSchema.nullable(),
});

/** One accepted session of one case. */
export const storedSessionSchema = z.object({
  session: z.string().min(1),
  acceptedAt: z.iso.datetime({ offset: true }),
  epoch: z.int().positive(),
  commit: z.string().nullable(),
  sha256: z.string(),
  host: z.string(),
  case: z.string().min(1),
  workload: z.string(),
  arm: armIdentitySchema,
  metrics: z.record(z.string().min(1), storedMetricSchema),
});

/** A stretch of history with one anchor; a reasoned acceptance starts the next. */
export const epochSchema = z.object({
  id: z.int().positive(),
  /** Session id of the anchor. */
  anchor: z.string().min(1),
  reason: z.string(),
});

export const baselineSchema = z.object({
  schema: z.literal(BASELINE_SCHEMA),
  model: z.string().min(1),
  class: z.string().min(1),
  facts: z.record(z.string(), fact),
  epochs: z.array(epochSchema).min(1),
  /** Session entries no longer kept in full, and their sums in the current epoch by `<case> <metric>`. */
  folded: z.object({
    sessions: z.int().nonnegative(),
    sinceAnchor: z.record(z.string(), foldedRatioSchema),
  }),
  /** In the order of acceptance; the last is the newest. */
  sessions: z.array(storedSessionSchema),
});

export type Ratio = Readonly<z.infer<typeof ratioSchema>>;
export type FoldedRatio = Readonly<z.infer<typeof foldedRatioSchema>>;
export type ArmIdentity = Readonly<z.infer<typeof armIdentitySchema>>;
export type StoredMetric = Readonly<z.infer<typeof storedMetricSchema>>;
export type StoredSession = Readonly<z.infer<typeof storedSessionSchema>>;
export type Epoch = Readonly<z.infer<typeof epochSchema>>;
export type Baseline = Readonly<z.infer<typeof baselineSchema>>;
