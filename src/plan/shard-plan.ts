import { z } from 'zod';
import { RefusedError } from '../errors.ts';
import type { GateConfig, ModelConfig } from '../inputs/gate-config.ts';
import { resolveRowPolicy } from '../inputs/row-policy.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { PLAN_SCHEMA } from './plan.ts';

/** GitHub starts at most this many jobs of one matrix. */
export const MOST_SHARDS = 256;
/** What a case is taken to cost where nothing is known of it yet. */
export const USUAL_CASE_SECONDS = 60;

const shardSchema = z.object({
  /** `2/4`, as the input `shard` takes it. */
  name: z.string(),
  models: z.array(z.string()),
  cases: z.array(z.string()),
  predictedS: z.number().nonnegative(),
});

/** `model-gate/plan@1`: which shard measures what, and the family of rows that all of them belong to. */
export const shardPlanSchema = z.object({
  schema: z.literal(PLAN_SCHEMA),
  createdAt: z.string(),
  session: z.string().min(1),
  base: z.string().nullable(),
  head: z.string().nullable(),
  k: z.int().nonnegative(),
  memoryRows: z.int().nonnegative(),
  shards: z.array(shardSchema).max(MOST_SHARDS),
});

export type ShardPlan = Readonly<z.infer<typeof shardPlanSchema>>;
export type Shard = ShardPlan['shards'][number];

/** A model to plan for: its cases follow from its section of the config alone. */
export interface PlannedModel {
  readonly id: string;
  readonly config: ModelConfig;
  /** Seconds its cases took before; null where no session tells. */
  readonly pastSeconds: number | null;
}

/**
 * Spreads models over shards so that the longest one is short: the longest model first, each to the shard with the
 * least work (Graham's LPT rule). `shards` null: as many as keep one shard within half of the time budget.
 */
export function planShards(
  models: readonly PlannedModel[],
  defaultProvider: string,
  asked: { readonly shards: number | null; readonly budgetS: number },
): Shard[] {
  const work = models.map((model) => {
    const cases = caseIdsOf(model, defaultProvider);
    return { id: model.id, cases, seconds: model.pastSeconds ?? cases.length * USUAL_CASE_SECONDS };
  });
  const total = work.reduce((sum, { seconds }) => sum + seconds, 0);
  const wanted = asked.shards ?? Math.ceil(total / (asked.budgetS / 2));
  const count = Math.min(Math.max(1, wanted), models.length, MOST_SHARDS);
  const bins = Array.from({ length: count }, () => ({ models: [] as string[], cases: [] as string[], predictedS: 0 }));
  for (const { id, cases, seconds } of [...work].sort((a, b) => b.seconds - a.seconds || (a.id < b.id ? -1 : 1))) {
    const bin = bins.reduce((least, one) => (one.predictedS < least.predictedS ? one : least));
    bin.models.push(id);
    bin.cases.push(...cases);
    bin.predictedS += seconds;
  }
  return bins.map((bin, index) => ({ name: `${index + 1}/${count}`, ...bin, predictedS: Math.round(bin.predictedS) }));
}

/** Ids of a model's cases: known from the config, before anything is read. */
export function caseIdsOf({ id, config }: Pick<PlannedModel, 'id' | 'config'>, defaultProvider: string): string[] {
  const providers = config.providers ?? [defaultProvider];
  return providers.flatMap((provider) => (config.batches ?? [1]).map((batch) => `${id}/${provider}/b${batch}/c1`));
}

/** The rows that all shards may gate: an upper bound, as what the effort reaches is known only on the runners. */
export function familyOfPlan(
  models: readonly PlannedModel[],
  defaultProvider: string,
  config: GateConfig,
): { k: number; memoryRows: number } {
  const gated = models.flatMap((model) =>
    caseIdsOf(model, defaultProvider).flatMap((caseId) =>
      [...METRICS.values()].filter(({ id, unit }) => {
        const policy = resolveRowPolicy(config, { model: model.id, case: caseId, metric: id, unit });
        return policy.marginRole === 'gated' && !(caseId.includes('/cpu/') && id.startsWith('memory.gpu.'));
      }),
    ),
  );
  const count = (judge: string) => gated.filter((metric) => metric.judge === judge).length;
  return { k: count('signed-rank'), memoryRows: count('memory') };
}

/** @throws RefusedError where the text is no plan of this version. */
export function parseShardPlan(text: string, fileName: string): ShardPlan {
  const parsed = shardPlanSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new RefusedError(
    `${fileName}: is no ${PLAN_SCHEMA} (${issue?.path.join('.') || 'file'}: ${issue?.message}): write it again with \`model-gate plan\``,
  );
}

/** The shard of that name. @throws RefusedError naming those there are. */
export function findShard(plan: ShardPlan, name: string): Shard {
  const found = plan.shards.find((shard) => shard.name === name);
  if (found) return found;
  const names = plan.shards.map((shard) => shard.name).join(', ') || 'none';
  throw new RefusedError(`the plan has no shard ${name}: it has ${names}`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
