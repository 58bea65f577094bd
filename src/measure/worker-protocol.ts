import { z } from 'zod';

/** A loaded model inside a worker; `floor` is the identity model, `reference` the reference workload. */
const slot = z.enum(['base', 'head', 'floor', 'reference']);
const ms = z.number().nonnegative();
const bytes = z.number().nonnegative();
const count = z.int().nonnegative();
const pooledInput = z.object({
  name: z.string(),
  dtype: z.string(),
  dims: z.array(count).readonly(),
  offset: count,
  bytesPerFeed: count,
  text: z.string().optional(),
});
const target = { slot, pool: z.string(), fetch: z.array(z.string()).readonly() };

/** What a worker is asked, one at a time; it answers every command once. */
export const commandSchema = z.discriminatedUnion('do', [
  z.object({ do: z.literal('open'), runtimeDir: z.string() }),
  z.object({ do: z.literal('load'), slot, modelFile: z.string(), options: z.record(z.string(), z.unknown()) }),
  z.object({ do: z.literal('unload'), slot }),
  z.object({
    do: z.literal('feed'),
    pool: z.string(),
    file: z.string(),
    inputs: z.array(pooledInput).readonly(),
    size: z.int().positive(),
  }),
  z.object({ do: z.literal('run'), ...target }),
  z.object({ do: z.literal('settle'), ...target, runs: count, maxMs: ms }),
  z.object({ do: z.literal('warmUp'), ...target, minMs: ms, minRuns: count, capMs: ms }),
  z.object({ do: z.literal('memory') }),
  z.object({ do: z.literal('rewind'), pool: z.string() }),
  z.object({ do: z.literal('chunk'), ...target, iterations: z.int().positive() }),
  z.object({ do: z.literal('outputs'), slot, pool: z.string(), directory: z.string() }),
]);

const tensorMetadata = z.object({ name: z.string(), dtype: z.string() });

/** Answer to each command. JSON turns NaN into null, so a non-finite time cannot pass. */
export const replySchemas = {
  open: z.object({ version: z.string(), backends: z.array(z.string()) }),
  load: z.object({ ms, inputs: z.array(tensorMetadata), outputs: z.array(tensorMetadata) }),
  unload: z.object({}),
  /** Bytes the pool holds. */
  feed: z.object({ bytes }),
  run: z.object({ ms }),
  settle: z.object({ runs: count, ms }),
  warmUp: z.object({ runs: count, wallMs: ms, cpuMs: ms, medianMs: ms, steady: z.boolean() }),
  /** Peak resident bytes of the process so far (VmHWM). */
  memory: z.object({ peakBytes: bytes }),
  rewind: z.object({}),
  chunk: z.object({ timesMs: z.array(z.number()), wallMs: ms, cpuMs: ms }),
  /** Every output of the first feed; the elements lie in `file`, in `directory`. */
  outputs: z.object({
    outputs: z.array(z.object({ name: z.string(), dtype: z.string(), dims: z.array(count), file: z.string() })),
  }),
} as const;

/** Envelope around a reply: `error` is the engine's own text. */
export const answerSchema = z.object({
  id: z.int(),
  result: z.unknown().optional(),
  error: z.string().optional(),
});

export type Slot = z.infer<typeof slot>;
export type Command = z.infer<typeof commandSchema>;
export type CommandName = Command['do'];
export type CommandOf<Name extends CommandName> = Extract<Command, { do: Name }>;
export type ReplyOf<Name extends CommandName> = z.infer<(typeof replySchemas)[Name]>;
export type OutputTensor = ReplyOf<'outputs'>['outputs'][number];

/** Runs after which memory is read, and the most time they may take. */
export const MEMORY_RUNS = { runs: 50, maxMs: 2000 } as const;
