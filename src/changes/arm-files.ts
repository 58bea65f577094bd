import type { ModelFacts } from '../model/model-facts.ts';
import type { ChangeNote } from './change-set.ts';

/** One arm's model on disk, with its external data beside it. */
export interface ArmFiles {
  /** Commit the files come from; null for files that git does not hold. */
  readonly commit: string | null;
  /** Absolute path. */
  readonly modelFile: string;
  /** External data files beside it, as relative locations named in the model. */
  readonly externalFiles: readonly string[];
  /** Digest over the model and its external files. */
  readonly sha256: string;
  /** Size of the model and its external files together. */
  readonly bytes: number;
  readonly facts: ModelFacts;
}

/** What `prepare` gave where base built twice has different bytes: each restart needs its own pair of builds. */
export interface Builds {
  readonly base: readonly ArmFiles[];
  readonly head: readonly ArmFiles[];
}

/** Why a model can't be measured; the shape of a measurement's fault. */
export interface ArmFault {
  readonly kind: 'not-measured';
  readonly reason: string;
  /** The arm that can't be had. */
  readonly arm: 'base' | 'head';
  readonly stderrTail?: string;
}

export type MaterialisedArms =
  | {
      readonly kind: 'ready';
      readonly base: ArmFiles | null;
      readonly head: ArmFiles;
      /** Null where one build of each arm is enough: base repeats, or both share a timing cache. */
      readonly builds: Builds | null;
      readonly notes: readonly ChangeNote[];
    }
  | { readonly kind: 'fault'; readonly fault: ArmFault };

/** Fewest builds per arm that can be told from the luck of one; DESIGN §5 "Builds". */
export const LEAST_BUILDS = 6;

/** What a reader must know about builds that do not repeat. */
export function describeBuilds(id: string, { base, head }: Builds): ChangeNote[] {
  const count = Math.min(base.length, head.length);
  const advice =
    count >= LEAST_BUILDS
      ? ''
      : `; set \`builds: ${LEAST_BUILDS}\` or name a \`timing-cache\`, else there is no verdict`;
  const text = `${id}: \`prepare\` gave different bytes for one commit, so each restart uses its own build (${count} per arm)${advice}.`;
  return [{ code: 'builds-differ', text, headline: count < LEAST_BUILDS }];
}
