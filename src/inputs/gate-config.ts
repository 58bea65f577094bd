import { z } from 'zod';
import { durationSchema, fractionSchema, quantitySchema } from './quantity-schema.ts';

const MODEL_ID = /^[A-Za-z0-9._-]+$/;
const dim = z.union([z.int().positive(), z.string().min(1)]);

/** How an input tensor is filled; a file (`.npy`, or `.npz` with `key`) replaces dims and fill. */
export const inputSpecSchema = z.strictObject({
  dims: z.array(dim).optional(),
  dtype: z.string().optional(),
  fill: z.enum(['uniform', 'normal', 'zipf', 'constant']).optional(),
  /** Inclusive bounds of integer and uniform fills. */
  range: z.tuple([z.number(), z.number()]).optional(),
  value: z.union([z.number(), z.string(), z.boolean()]).optional(),
  seed: z.int().optional(),
  file: z.string().optional(),
  key: z.string().optional(),
});

export const sessionOptionsSchema = z.strictObject({
  'graph-optimization': z.enum(['disabled', 'basic', 'extended', 'layout', 'all']).optional(),
  threads: z.int().positive().optional(),
  'inter-op-threads': z.int().positive().optional(),
  'execution-mode': z.enum(['sequential', 'parallel']).optional(),
  'memory-arena': z.boolean().optional(),
  'memory-pattern': z.boolean().optional(),
  spinning: z.boolean().optional(),
  'device-id': z.int().nonnegative().optional(),
  /** onnxruntime session config entries, as `session.disable_prepacking: "1"`. */
  config: z.record(z.string(), z.string()).optional(),
});

export const metricPolicySchema = z.strictObject({
  margin: z
    .union([fractionSchema, z.strictObject({ percent: z.number().nonnegative(), floor: quantitySchema.optional() })])
    .optional(),
  /** `true` gates the row, `false` only reports it, `advisory` judges and shows it. */
  gate: z.union([z.boolean(), z.literal('advisory')]).optional(),
  max: quantitySchema.optional(),
  min: quantitySchema.optional(),
  'max-increase': quantitySchema.optional(),
});

const metricPolicies = z.record(z.string(), metricPolicySchema);

export const modelConfigSchema = z.strictObject({
  id: z.string().regex(MODEL_ID, 'may hold only letters, digits, ".", "_" and "-"').optional(),
  path: z.string().optional(),
  /** A file that replaces git as the source of the base arm. */
  base: z.string().optional(),
  watch: z.array(z.string()).optional(),
  prepare: z.string().optional(),
  /** Builds per arm to spread over restarts where `prepare` is not reproducible. */
  builds: z.int().positive().optional(),
  'timing-cache': z.string().optional(),
  providers: z.array(z.string()).nonempty().optional(),
  batches: z.array(z.int().positive()).nonempty().optional(),
  /** Sizes of symbolic dimensions, as `seq: 128`; `batch` is set by `batches`. */
  dims: z.record(z.string(), z.int().positive()).optional(),
  inputs: z.record(z.string(), inputSpecSchema).optional(),
  session: sessionOptionsSchema.optional(),
  fetch: z.enum(['smallest', 'all']).optional(),
  pool: z.int().positive().optional(),
  metrics: metricPolicies.optional(),
  cases: z.record(z.string(), z.strictObject({ metrics: metricPolicies })).optional(),
  arms: z
    .strictObject({
      base: z.strictObject({ runtime: z.string().optional() }).optional(),
      head: z.strictObject({ runtime: z.string().optional() }).optional(),
    })
    .optional(),
});

export const waiverSchema = z.strictObject({
  model: z.string(),
  metric: z.string(),
  case: z.string().optional(),
  ceiling: fractionSchema,
  until: z.iso.date(),
  reason: z.string().min(1),
});

/** `.github/model-gate.yml`; unknown keys are refused with a suggestion. */
export const gateConfigSchema = z.strictObject({
  version: z.literal(1),
  'time-budget': durationSchema.optional(),
  models: z.array(modelConfigSchema).optional(),
  metrics: metricPolicies.optional(),
  waivers: z.array(waiverSchema).optional(),
  /** Files whose change may change speed without changing a model file. */
  watch: z.array(z.string()).optional(),
  launch: z.strictObject({ advisory: z.enum(['advisory', 'gated']).optional() }).optional(),
  baseline: z
    .strictObject({
      store: z.enum(['directory', 'branch']).optional(),
      branch: z.string().optional(),
      'max-age': durationSchema.optional(),
      'creep-margin': fractionSchema.optional(),
    })
    .optional(),
});

export type InputSpec = Readonly<z.infer<typeof inputSpecSchema>>;
export type SessionOptions = Readonly<z.infer<typeof sessionOptionsSchema>>;
export type MetricPolicy = Readonly<z.infer<typeof metricPolicySchema>>;
export type ModelConfig = Readonly<z.infer<typeof modelConfigSchema>>;
export type Waiver = Readonly<z.infer<typeof waiverSchema>>;
export type GateConfig = Readonly<z.infer<typeof gateConfigSchema>>;

/** The config in force where the repository has none: every changed `*.onnx` is gated with defaults. */
export const EMPTY_CONFIG: GateConfig = { version: 1 };
