import type { InputSpec, ModelConfig } from '../inputs/gate-config.ts';
import type { IdUse } from '../model/id-uses.ts';
import type { ModelFacts, TensorInfo } from '../model/model-facts.ts';
import { ownValue } from '../model/own-value.ts';
import { describeTensor } from '../model/signature.ts';
import { type DimSizes, findBatchNames, type ResolvedDims, resolveConfigDims, resolveModelDims } from './feed-dims.ts';
import { type FeedFiles, feedFileKey } from './feed-files.ts';
import { resolveFile } from './feed-from-file.ts';
import { ask } from './feed-questions.ts';
import { chooseSource, isFeedable } from './feed-source.ts';
import type { ArmName, FeedSpec } from './plan.ts';

/** Feeds of one case. With questions nothing may be measured: each is one line with the YAML that answers it. */
export interface FeedPlan {
  readonly feeds: FeedSpec[];
  readonly questions: string[];
  /** What was guessed, one line an input. */
  readonly notes: string[];
}

type FeedConfig = Pick<ModelConfig, 'dims' | 'inputs'>;

/** What is known about one input in both arms. */
interface Side {
  readonly arm: ArmName;
  readonly input: TensorInfo;
  readonly other: TensorInfo | undefined;
  readonly known: DimSizes;
}

interface PlannedSide {
  readonly feed: FeedSpec | null;
  readonly usesBatch: boolean;
  readonly question?: string;
  readonly note?: string;
}

/**
 * Resolves the inputs of one case for both arms (`base` null: a new model): from the config, else guessed from the
 * model. Inputs that are alike in both arms give one feed, others one for each side. `files` holds what was read of
 * the `.npy` and `.npz` files named in the config.
 */
export function planFeeds(
  base: ModelFacts | null,
  head: ModelFacts,
  config: FeedConfig,
  batch: number,
  files: FeedFiles = {},
): FeedPlan {
  const sides = listSides(base, head, config, batch);
  const planned = sides.map((side) =>
    planSide(side, ownValue(config.inputs, side.input.name) ?? {}, idUseOf(side.input.name, base, head), files),
  );
  const questions = [...askUnknownInputs(config, sides), ...planned.flatMap(({ question }) => question ?? [])];
  const feeds = mergeArms(
    planned.flatMap(({ feed }) => feed ?? []),
    base === null,
  );
  const batchQuestion = questions.length > 0 ? null : askBatch(planned, batch);
  return {
    feeds,
    questions: [...new Set(batchQuestion ? [batchQuestion] : questions)],
    notes: [...new Set(planned.flatMap(({ note }) => note ?? []))],
  };
}

function listSides(base: ModelFacts | null, head: ModelFacts, config: FeedConfig, batch: number): Side[] {
  const arms = [['base', base, head] as const, ['head', head, base] as const];
  return arms.flatMap(([arm, facts, other]) => {
    if (!facts) return [];
    const known: DimSizes = { batch, sizes: config.dims ?? {}, batchNames: findBatchNames(facts.inputs) };
    return facts.inputs.map((input) => ({
      arm,
      input,
      other: other?.inputs.find(({ name }) => name === input.name),
      known,
    }));
  });
}

function planSide(side: Side, spec: InputSpec, use: IdUse | undefined, files: FeedFiles): PlannedSide {
  const { arm, input, other, known } = side;
  const stop = (question: string): PlannedSide => ({ feed: null, usesBatch: false, question });
  if (!isFeedable(input.dtype)) return stop(ask(input, 'cannot be fed by the engine: gate a model without it'));
  if (spec.dtype !== undefined && spec.dtype !== input.dtype && spec.dtype !== other?.dtype)
    return stop(ask(input, `is not of the configured dtype ${JSON.stringify(spec.dtype)}: correct it`));
  if (spec.file !== undefined)
    return resolveFile(arm, input, spec.file, spec.key, ownValue(files, feedFileKey(spec.file, spec.key)), known);
  const resolved = resolveDims(side, spec);
  if ('question' in resolved) return stop(resolved.question);
  const chosen = chooseSource(input, spec, use);
  if ('question' in chosen) return stop(chosen.question);
  const feed: FeedSpec = {
    name: input.name,
    dtype: input.dtype,
    dims: [...resolved.dims],
    arms: arm,
    source: chosen.source,
  };
  const note = chosen.note
    ? { note: `input ${JSON.stringify(input.name)} is guessed: ${describeTensor(feed)}, ${chosen.note}` }
    : {};
  return { feed, usesBatch: resolved.usesBatch, ...note };
}

/** Configured dims are written for head: where they fit only the other arm, this arm's own dimensions are used. */
function resolveDims({ input, other, known }: Side, spec: InputSpec): ResolvedDims {
  if (!spec.dims) return resolveModelDims(input, known);
  const configured = resolveConfigDims(input, spec.dims, known);
  if (!('question' in configured) || !other) return configured;
  const forOther = resolveConfigDims(other, spec.dims, known);
  return 'question' in forOther ? configured : resolveModelDims(input, known);
}

/** Ids must be valid for the tables of both arms: the smaller one decides. */
function idUseOf(name: string, base: ModelFacts | null, head: ModelFacts): IdUse | undefined {
  const [a, b] = [ownValue(base?.idUses, name), ownValue(head.idUses, name)];
  if (a?.kind !== 'table' || b?.kind !== 'table') return a?.kind === 'unknown' ? a : (b ?? a);
  return a.rows < b.rows ? a : b;
}

function mergeArms(feeds: readonly FeedSpec[], isNew: boolean): FeedSpec[] {
  if (isNew) return feeds.map((feed) => ({ ...feed, arms: 'both' }));
  const keyOf = ({ arms: _, ...rest }: FeedSpec) => JSON.stringify(rest);
  const keys = (arm: ArmName) => new Set(feeds.filter(({ arms }) => arms === arm).map(keyOf));
  const [inBase, inHead] = [keys('base'), keys('head')];
  return feeds
    .filter((feed) => feed.arms === 'base' || !inBase.has(keyOf(feed)))
    .map((feed) => (inHead.has(keyOf(feed)) && inBase.has(keyOf(feed)) ? { ...feed, arms: 'both' } : feed));
}

/** The engine ignores a feed it does not know, so a misspelt input would go unnoticed. */
function askUnknownInputs({ inputs }: FeedConfig, sides: readonly Side[]): string[] {
  const names = new Set(sides.map(({ input }) => input.name));
  return Object.keys(inputs ?? {})
    .filter((name) => !names.has(name))
    .map(
      (name) =>
        `the config fills the input ${JSON.stringify(name)}, which the model does not have: its inputs are ${[...names].map((known) => JSON.stringify(known)).join(', ')}`,
    );
}

/** A batch that no input takes would label the case with work it does not do. */
function askBatch(planned: readonly PlannedSide[], batch: number): string | null {
  const feeds = planned.flatMap(({ feed }) => feed ?? []);
  const takesBatch = planned.some(({ usesBatch }) => usesBatch) || feeds.some(({ dims }) => dims[0] === batch);
  if (takesBatch || batch === 1 || feeds.length === 0) return null;
  return `no input of the model has a batch dimension, so batch ${batch} cannot be measured; set for this model in .github/model-gate.yml: batches: [${feeds[0]?.dims[0] ?? 1}]`;
}
