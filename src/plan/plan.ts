import { z } from 'zod';
import { inputSpecSchema, sessionOptionsSchema } from '../inputs/gate-config.ts';

export const PLAN_SCHEMA = 'model-gate/plan@1';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

/** One tensor fed to the model, fully resolved: nothing is guessed after planning. */
export const feedSpecSchema = z.object({
  name: z.string(),
  dtype: z.string(),
  dims: z.array(z.int().nonnegative()),
  /** Inputs that exist on one side only are generated for that side. */
  arms: z.enum(['both', 'base', 'head']),
  source: inputSpecSchema,
});

export const caseSpecSchema = z.object({
  id: z.string(),
  batch: z.int().positive(),
  feeds: z.array(feedSpecSchema),
  /** First 16 hex of SHA-256 over the declared work. */
  workload: z.string(),
});

/** One arm: model bytes + runtime + session options. Paths are absolute on the machine that planned. */
export const armSpecSchema = z.object({
  commit: z.string().nullable(),
  /** The model file to stage; null where this arm does not exist (a new model has no base). */
  modelFile: z.string(),
  /** External data files beside the model, as relative locations named in the model. */
  externalFiles: z.array(z.string()),
  sha256,
  bytes: z.int().nonnegative(),
  /** Folder of an onnxruntime-node package; null for the gate's own. */
  runtimeDir: z.string().nullable(),
  session: sessionOptionsSchema,
});

/** Cases of one model, provider and variant: they differ only in batch and share restarts. */
export const caseGroupSchema = z.object({
  id: z.string(),
  model: z.string(),
  /** Path in the repository, for people. */
  path: z.string(),
  provider: z.string(),
  variant: z.string().nullable(),
  comparison: z.enum(['paired', 'creep']),
  base: armSpecSchema.nullable(),
  head: armSpecSchema,
  /** Where `prepare` gives other bytes each time: the builds of each arm, spread over the restarts; the first are `base` and `head`. */
  builds: z.object({ base: z.array(armSpecSchema).nonempty(), head: z.array(armSpecSchema).nonempty() }).optional(),
  cases: z.array(caseSpecSchema).nonempty(),
  fetch: z.enum(['smallest', 'all']),
  /** Distinct feeds cycled by both arms; null sizes the pool from the last-level cache. */
  pool: z.int().positive().nullable(),
  /** All digests equal: rows are `unchanged`, nothing is measured. */
  unchanged: z.boolean(),
  /** Why there is no base though the model is not new. */
  baseFault: z.string().optional(),
  /** The reference workload takes turns too, so that the session can be compared over days. */
  reference: z.literal(true).optional(),
  notes: z.array(z.object({ code: z.string(), text: z.string(), headline: z.boolean().optional() })),
});

export type FeedSpec = Readonly<z.infer<typeof feedSpecSchema>>;
export type CaseSpec = Readonly<z.infer<typeof caseSpecSchema>>;
export type ArmSpec = Readonly<z.infer<typeof armSpecSchema>>;
export type CaseGroup = Readonly<z.infer<typeof caseGroupSchema>>;
export type ArmName = 'base' | 'head';
