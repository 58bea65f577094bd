import type { Baseline } from './baseline-schema.ts';
import { type BaselineNote, chooseBase } from './choose-reference.ts';

/** Commits of accepted sessions: what a push is measured against. */
export interface AcceptedCommits {
  readonly newest: string | null;
  /** Of each model by its id, as two models are rarely accepted in one session. */
  readonly byModel: ReadonlyMap<string, string>;
  readonly notes: readonly BaselineNote[];
}

/** Newest accepted commit of each model, over all machine classes, and the newest of them all. */
export async function acceptedCommits(
  baselines: readonly Baseline[],
  isAvailable: (commit: string) => Promise<boolean>,
): Promise<AcceptedCommits> {
  const byModel = new Map<string, string>();
  const notes: BaselineNote[] = [];
  let newest: { commit: string; atMs: number } | null = null;
  for (const model of new Set(baselines.map((baseline) => baseline.model))) {
    const own = baselines.filter((baseline) => baseline.model === model);
    const chosen = await chooseBase(own, isAvailable);
    notes.push(...chosen.notes);
    const { commit = null, acceptedAt = '' } = chosen.session ?? {};
    if (commit === null) continue;
    byModel.set(model, commit);
    const atMs = Date.parse(acceptedAt);
    if (newest === null || atMs > newest.atMs) newest = { commit, atMs };
  }
  return { newest: newest?.commit ?? null, byModel, notes };
}
