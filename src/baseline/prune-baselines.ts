import { newestAcceptance, readFiles } from './baseline-overview.ts';
import type { BaselineStore, WriteReport } from './baseline-store.ts';

export interface PruneRequest {
  readonly nowMs: number;
  /** Baselines without a session since are removed; null keeps any age. */
  readonly olderThanMs: number | null;
  /** Models that still exist; null asks nothing. */
  readonly models: readonly string[] | null;
}

export interface PruneReport extends WriteReport {
  readonly pruned: readonly { readonly path: string; readonly why: string }[];
}

/** Removes baselines nobody needs; a file that can't be read is never removed. */
export async function pruneBaselines(store: BaselineStore, request: PruneRequest): Promise<PruneReport> {
  const files = readFiles(await store.files(null));
  const doomed = files.flatMap(({ path, baseline }) => {
    if (baseline === null) return [];
    const why = whyPruned(baseline.model, newestAcceptance(baseline), request);
    return why === null ? [] : [{ path, why, baseline }];
  });
  const changes = doomed.map(({ baseline }) => ({
    address: { model: baseline.model, class: baseline.class },
    // A session stored meanwhile saves it.
    change: (current: typeof baseline | null) =>
      current !== null && whyPruned(current.model, newestAcceptance(current), request) !== null ? null : current,
  }));
  const report =
    changes.length === 0
      ? { written: [], attempts: 0, commit: null }
      : await store.update(changes, `Prune ${changes.length} unused baselines\n`);
  return { ...report, pruned: doomed.map(({ path, why }) => ({ path, why })) };
}

function whyPruned(model: string, newest: string | null, { nowMs, olderThanMs, models }: PruneRequest): string | null {
  if (models !== null && !models.includes(model)) return 'its model no longer exists';
  if (olderThanMs === null) return null;
  if (newest === null) return 'it holds no session';
  const ageMs = nowMs - Date.parse(newest);
  return ageMs > olderThanMs ? `its newest session is ${Math.round(ageMs / 86_400_000)} days old` : null;
}
