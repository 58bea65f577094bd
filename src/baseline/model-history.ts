import type { Baseline } from './baseline-schema.ts';

/** What is stored of one model, as a machine sees it. */
export interface ModelHistory {
  /** Of this machine's class. */
  readonly own: Baseline | null;
  /** Of other classes: their numbers are not comparable, their commits are. */
  readonly others: readonly Baseline[];
}

/** Histories by model id. */
export type Histories = ReadonlyMap<string, ModelHistory>;

/** A model's baselines split by this machine's class. */
export function historyOn(baselines: readonly Baseline[], environmentClass: string): ModelHistory {
  return {
    own: baselines.find((baseline) => baseline.class === environmentClass) ?? null,
    others: baselines.filter((baseline) => baseline.class !== environmentClass),
  };
}

/** The model's baseline on this machine; null where nothing is stored. */
export function baselineIn(histories: Histories, model: string): Baseline | null {
  return histories.get(model)?.own ?? null;
}
