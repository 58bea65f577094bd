import type { Baseline, StoredSession } from './baseline-schema.ts';
import { currentEpoch, fold, foldedKey, joinChains, linkChain, unfold } from './chain.ts';

/** Sessions of a case kept in full; the anchor of the current epoch stays beside them. */
export const FULL_SESSIONS = 30;

/** Folds all but the last 30 entries of each case into sums, so that a file's size has a bound. */
export function compactBaseline(baseline: Baseline): Baseline {
  const old = baseline.sessions.filter((entry) => isFoldable(baseline, entry));
  if (old.length === 0) return baseline;
  const sums = { ...baseline.folded.sinceAnchor };
  for (const entry of old.filter((entry) => entry.epoch === currentEpoch(baseline))) {
    for (const [metric, stored] of Object.entries(entry.metrics)) {
      const key = foldedKey(entry.case, metric);
      const link = linkChain(stored.ratioToPrevious, stored.restarts.length);
      sums[key] = fold(joinChains(unfold(sums[key], baseline.folded.sessions), link));
    }
  }
  return {
    ...baseline,
    folded: { sessions: baseline.folded.sessions + old.length, sinceAnchor: sums },
    sessions: baseline.sessions.filter((entry) => !old.includes(entry)),
  };
}

function isFoldable(baseline: Baseline, entry: StoredSession): boolean {
  const ofCase = baseline.sessions.filter((other) => other.case === entry.case);
  const anchor = ofCase.find((other) => other.epoch === currentEpoch(baseline));
  return entry !== anchor && ofCase.indexOf(entry) < ofCase.length - FULL_SESSIONS;
}
