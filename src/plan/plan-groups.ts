import type { ModelConfig } from '../inputs/gate-config.ts';
import type { ModelFacts } from '../model/model-facts.ts';
import { describeSignatureChanges, diffSignatures } from '../model/signature.ts';
import type { FeedFiles } from './feed-files.ts';
import { planFeeds } from './feed-plan.ts';
import { workloadHash } from './feed-workload.ts';
import type { ArmSpec, CaseGroup, CaseSpec } from './plan.ts';

/** One arm's model as it lies on disk, read and digested. */
export interface ArmOnDisk {
  readonly commit: string | null;
  readonly modelFile: string;
  readonly externalFiles: readonly string[];
  readonly sha256: string;
  readonly bytes: number;
  readonly facts: ModelFacts;
}

type GroupNote = CaseGroup['notes'][number];

/** A changed model with both arms at hand. */
export interface ReadyModel {
  readonly id: string;
  readonly path: string;
  readonly base: ArmOnDisk | null;
  readonly head: ArmOnDisk;
  /** Where `prepare` gives other bytes each time: the builds of each arm, the first of which are `base` and `head`. */
  readonly builds?: { readonly base: readonly ArmOnDisk[]; readonly head: readonly ArmOnDisk[] } | null;
  readonly baseConfig: ModelConfig;
  readonly headConfig: ModelConfig;
  readonly comparison: CaseGroup['comparison'];
  /** `.npy` and `.npz` files named in the config, read before planning. */
  readonly feedFiles: FeedFiles;
  readonly notes: readonly GroupNote[];
}

export interface GroupPlanOptions {
  readonly defaultProvider: string;
  /** Equal arms are `unchanged` without measuring; doctor, canaries and `measure --against` measure all the same. */
  readonly equalArms: 'unchanged' | 'measure';
}

export interface GroupPlan {
  readonly groups: CaseGroup[];
  /** What must be answered in the config before this model can be measured, one line each. */
  readonly questions: string[];
}

/** The cases of one model: a group a provider, a case a batch. With questions there are no groups. */
export function planGroups(model: ReadyModel, options: GroupPlanOptions): GroupPlan {
  const providers = model.headConfig.providers ?? [options.defaultProvider];
  const planned = providers.map((provider) => planGroup(model, provider, options));
  const questions = [...new Set(planned.flatMap((plan) => plan.questions))];
  return { groups: questions.length > 0 ? [] : planned.map((plan) => plan.group), questions };
}

function planGroup(model: ReadyModel, provider: string, options: GroupPlanOptions) {
  const { headConfig, baseConfig } = model;
  const fetch = headConfig.fetch ?? (provider === 'cpu' ? 'smallest' : 'all');
  const pool = headConfig.pool ?? null;
  const cases = (headConfig.batches ?? [1]).map((batch) => planCase(model, provider, batch, { fetch, pool }));
  const base = model.base && armSpec(model.base, baseConfig, 'base');
  const head = armSpec(model.head, headConfig, 'head');
  const group: CaseGroup = {
    id: `${model.id}/${provider}${model.comparison === 'creep' ? '/creep' : ''}`,
    model: model.id,
    path: model.path,
    provider,
    variant: null,
    comparison: model.comparison,
    base,
    head,
    ...buildsOf(model),
    cases: cases.map(({ spec }) => spec) as [CaseSpec, ...CaseSpec[]],
    fetch,
    pool,
    unchanged: options.equalArms === 'unchanged' && base !== null && armsAreEqual(base, head),
    notes: [...signatureNotes(model), ...model.notes, ...guessNotes(model, cases)],
  };
  return { group, questions: cases.flatMap(({ questions }) => questions) };
}

type CaseWork = { readonly fetch: 'smallest' | 'all'; readonly pool: number | null };

function planCase(model: ReadyModel, provider: string, batch: number, { fetch, pool }: CaseWork) {
  const plan = planFeeds(model.base?.facts ?? null, model.head.facts, model.headConfig, batch, model.feedFiles);
  const workload = workloadHash({ batch, feeds: plan.feeds, pool, fetch, scenario: 'closed' }, model.feedFiles);
  const spec: CaseSpec = { id: `${model.id}/${provider}/b${batch}/c1`, batch, feeds: plan.feeds, workload };
  return { spec, questions: plan.questions.map((line) => `${model.id}: ${line}`), guesses: plan.notes };
}

function armSpec(arm: ArmOnDisk, config: ModelConfig, name: 'base' | 'head'): ArmSpec {
  return {
    commit: arm.commit,
    modelFile: arm.modelFile,
    externalFiles: [...arm.externalFiles],
    sha256: arm.sha256,
    bytes: arm.bytes,
    runtimeDir: config.arms?.[name]?.runtime ?? null,
    session: config.session ?? {},
  };
}

function buildsOf({ builds, baseConfig, headConfig }: ReadyModel): Pick<CaseGroup, 'builds'> {
  const [[base, ...bases], [head, ...heads]] = [
    (builds?.base ?? []).map((arm) => armSpec(arm, baseConfig, 'base')),
    (builds?.head ?? []).map((arm) => armSpec(arm, headConfig, 'head')),
  ];
  return base && head ? { builds: { base: [base, ...bases], head: [head, ...heads] } } : {};
}

/** Equal bytes, runtime and options; the feeds are the same by construction. */
function armsAreEqual(base: ArmSpec, head: ArmSpec): boolean {
  const options = (arm: ArmSpec) => JSON.stringify(Object.entries(arm.session).sort());
  return base.sha256 === head.sha256 && base.runtimeDir === head.runtimeDir && options(base) === options(head);
}

function signatureNotes(model: ReadyModel): GroupNote[] {
  if (!model.base) return [];
  const text = describeSignatureChanges(diffSignatures(model.base.facts, model.head.facts));
  return text === '' ? [] : [{ code: 'signature-changed', text: `${model.id}: ${text}`, headline: true }];
}

function guessNotes(model: ReadyModel, cases: readonly { readonly guesses: readonly string[] }[]): GroupNote[] {
  const guesses = new Set(cases.flatMap((entry) => entry.guesses));
  return [...guesses].map((text) => ({ code: 'input-guessed', text: `${model.id}: ${text}` }));
}
