import { z } from 'zod';

export const MEASUREMENT_SCHEMA = 'model-gate/measurement@1';

const finite = z.number();
const metricId = z.string().min(1).max(200);

/** Far above what is used (41 restarts of some tens of rounds): estimates take time with the square of these. */
const MOST_RESTARTS = 1000;
const MOST_ROUNDS = 1000;

const fact = z.union([z.string(), finite, z.boolean(), z.null()]);

/** Facts about machine and settings by name, as `gpu.name`; `class` hashes those that make numbers incomparable. */
export const environmentSchema = z.object({ class: z.string(), facts: z.record(z.string(), fact) });

/** A sentence for the report with a stable code: warnings are values, not log lines. */
export const noteSchema = z.object({
  code: z.string(),
  text: z.string(),
  /** Shown before the table: what a reader must know first (a signature change, a smaller budget). */
  headline: z.boolean().optional(),
});

const metricStatement = z.object({
  unit: z.string().optional(),
  better: z.enum(['lower', 'higher']).optional(),
  definition: z.string().optional(),
});

/** One restart of one arm: both arms were started as fresh processes and measured against each other once. */
export const restartSchema = z.object({
  index: z.int().nonnegative(),
  valid: z.boolean(),
  notes: z.array(z.string()),
  values: z.record(metricId, finite),
  /** Per-round values (the arms took turns); rounds pair by position with the other arm's. */
  rounds: z.record(metricId, z.array(finite).max(MOST_ROUNDS)).optional(),
});

/** Why a whole case was not measured, or that head fails where base runs. */
export const faultSchema = z.object({
  /** `head-broken`: head does not load or run where base does. `not-measured`: no verdict possible. */
  kind: z.enum(['head-broken', 'not-measured']),
  reason: z.string(),
  stderrTail: z.string().optional(),
  /** The arm that can't be run, where it is one alone. */
  arm: z.enum(['base', 'head']).optional(),
});

/** Median latency of each run of an arm alone, in ms: what taking turns hides on a power-capped card. */
const soloRunsSchema = z.object({
  base: z.array(finite.positive()).min(1).max(MOST_ROUNDS),
  head: z.array(finite.positive()).min(1).max(MOST_ROUNDS),
});

export const entrySchema = z.object({
  subject: z.object({
    model: z.string().min(1),
    path: z.string().optional(),
    sha256: z.string().optional(),
    commit: z.string().nullable().optional(),
  }),
  case: z.object({
    id: z.string().min(1),
    provider: z.string().optional(),
    batch: z.int().positive().optional(),
    concurrency: z.int().positive().optional(),
    scenario: z.string().optional(),
    variant: z.string().optional(),
    /** Hash of the declared work (batch, dims, fills, seed, scenario), not of the model. */
    workload: z.string(),
  }),
  /** Default `paired`; `creep` entries compare head with the accepted anchor. */
  comparison: z.enum(['paired', 'creep']).optional(),
  /** Runtime, provider libraries and session options of this arm, shown as "what changed". */
  armFacts: z.record(z.string(), fact).optional(),
  /** Both arms have equal bytes, runtime, options and feeds: every row is `unchanged`, nothing was measured. */
  unchanged: z.boolean().optional(),
  /** There is no base for this case: its rows are `new`, only limits are judged. */
  isNew: z.boolean().optional(),
  /** Why there is no base though the model is not new: head was measured alone, to be compared with stored sessions. */
  baseFault: z.string().optional(),
  /** Digest of everything that was planned: both arms' bytes, runtimes and options, and the work. Equal ones measure the same. */
  planned: z.string().optional(),
  /** Builds per arm that the restarts were spread over, where `prepare` gives other bytes each time. */
  builds: z.int().positive().optional(),
  /** In head's entry, where the card ran at its power limit. */
  solo: soloRunsSchema.optional(),
  fault: faultSchema.optional(),
  notes: z.array(noteSchema).optional(),
  metrics: z.record(metricId, metricStatement),
  restarts: z.array(restartSchema).max(MOST_RESTARTS),
  /** Set where files of several sessions were merged: the session and environment of this entry's own file. */
  session: z.string().optional(),
  environment: environmentSchema.optional(),
});

/** What was promised before measuring: the family of gated rows and how far the looks can go. */
export const manifestSchema = z.object({
  seed: z.string(),
  /** Gated rows judged by the signed-rank test in the whole manifest; fixes the family level. */
  k: z.int().nonnegative(),
  memoryRows: z.int().nonnegative().optional(),
  /** `if-own-change-worse`: creep decides only where this change's own interval lies above zero (a pull request). */
  creepRule: z.enum(['always', 'if-own-change-worse']).optional(),
  /** Restart counts after which rows may be decided, as 6, 9, 13, …; a prefix where time is short. */
  looks: z.array(z.int().positive()),
  /** A row's role where it differs from policy, fixed before measuring, with the reason a person reads. */
  rows: z.array(
    z.object({
      case: z.string(),
      metric: z.string(),
      role: z.enum(['gated', 'advisory', 'reported']),
      reason: z.string().optional(),
    }),
  ),
});

/** `model-gate/measurement@1`: one arm, one job. Unknown fields are kept out, missing optional ones allowed. */
export const measurementSchema = z.object({
  schema: z.literal(MEASUREMENT_SCHEMA),
  createdAt: z.string(),
  tool: z.object({ name: z.string(), version: z.string() }),
  session: z.string().min(1),
  arm: z.enum(['base', 'head']),
  commit: z.string().nullable().optional(),
  environment: environmentSchema,
  mode: z.enum(['duet', 'inproc', 'pairs', 'mixed', 'none']).optional(),
  durationS: finite.nonnegative().optional(),
  manifest: manifestSchema.optional(),
  notes: z.array(noteSchema).optional(),
  entries: z.array(entrySchema),
});

export type Environment = Readonly<z.infer<typeof environmentSchema>>;
export type Note = Readonly<z.infer<typeof noteSchema>>;
export type Restart = Readonly<z.infer<typeof restartSchema>>;
export type SoloRuns = Readonly<z.infer<typeof soloRunsSchema>>;
export type Fault = Readonly<z.infer<typeof faultSchema>>;
export type Entry = Readonly<z.infer<typeof entrySchema>>;
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;
export type Measurement = Readonly<z.infer<typeof measurementSchema>>;
