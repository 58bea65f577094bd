import type { ArmName, CaseGroup } from '../plan/plan.ts';
import { onShownCard } from './card-choice.ts';
import type { GpuMemoryDefinition } from './gpu-health.ts';
import type { Measurer, Preparation } from './measurer.ts';

/** The engine's bytes, as facts of an arm. */
export interface EngineBytes {
  readonly digest: string;
  /** SHA-256 of each provider library beside the engine, by provider name. */
  readonly libraries: Readonly<Record<string, string>>;
}

/** What is known of a group beside its measurer. */
export interface GroupDescription {
  /** Why the group's provider cannot be used here; null where it can. */
  readonly refusal: Error | null;
  readonly engines: Readonly<Partial<Record<ArmName, EngineBytes>>>;
}

/**
 * The measurer, shown one card, with what it cannot know itself: each arm's engine by its bytes, and how GPU memory
 * was read. `prepare` throws the refusal of a provider that cannot be used.
 */
export function describedMeasurer(
  measurer: Measurer,
  describe: (group: CaseGroup) => GroupDescription,
  memoryDefinition: () => GpuMemoryDefinition | null,
): Measurer {
  return {
    prepare: async (group) => {
      const { refusal, engines } = describe(group);
      if (refusal) throw refusal;
      const preparation = await measurer.prepare(onShownCard(group));
      return { ...preparation, armFacts: withEngines(preparation, engines), ...definitionsOf(memoryDefinition()) };
    },
    restart: (group, index, caseIds) => measurer.restart(onShownCard(group), index, caseIds),
    needsSoloPass: (group) => measurer.needsSoloPass?.(onShownCard(group)) ?? false,
    soloPass: async (group, caseIds) => (await measurer.soloPass?.(onShownCard(group), caseIds)) ?? {},
    finish: (group) => measurer.finish(onShownCard(group)),
  };
}

function withEngines({ armFacts }: Preparation, engines: GroupDescription['engines']): Preparation['armFacts'] {
  const facts = (engine: EngineBytes | undefined) =>
    engine === undefined
      ? {}
      : {
          'runtime.digest': engine.digest,
          ...Object.fromEntries(
            Object.entries(engine.libraries).map(([name, digest]) => [`runtime.library.${name}`, digest]),
          ),
        };
  return {
    base: armFacts.base && { ...armFacts.base, ...facts(engines.base) },
    head: { ...armFacts.head, ...facts(engines.head) },
  };
}

function definitionsOf(definition: GpuMemoryDefinition | null): Pick<Preparation, 'definitions'> {
  if (definition === null) return {};
  return { definitions: { 'memory.gpu.peak': definition, 'memory.gpu.weights': definition } };
}
