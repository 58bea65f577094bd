import { type ArmIdentity, BASELINE_SCHEMA, type Baseline, type Ratio, type StoredSession } from './baseline-schema.ts';
import { chainOf, currentEpoch } from './chain.ts';
import { compactBaseline } from './compact-baseline.ts';
import type { Facts } from './environment-class.ts';

/** Bytes and runtime and options of an arm: equal identities do equal work. */
export interface ArmDigest {
  readonly sha256: string;
  readonly arm: ArmIdentity;
}

export interface AcceptedMetric {
  readonly restarts: readonly number[];
  readonly reference: readonly number[];
  /** Head against the base arm of this session; null where they were not measured together. */
  readonly ratioToBase: Ratio | null;
}

/** One session of one case that may become reference: healthy, and passed or accepted with a reason. */
export interface AcceptedSession extends ArmDigest, Pick<StoredSession, AcceptedText> {
  /** The arm it was measured against; null for a new model. */
  readonly base: ArmDigest | null;
  readonly metrics: Readonly<Record<string, AcceptedMetric>>;
}
type AcceptedText = 'session' | 'acceptedAt' | 'commit' | 'host' | 'case' | 'workload';

/** What a baseline is about. */
export interface BaselineHeader {
  readonly model: string;
  readonly class: string;
  readonly facts: Facts;
}

/** `current` with the sessions added, compacted; the very object given where all were there already. */
export function appendSessions(
  current: Baseline | null,
  header: BaselineHeader,
  accepted: readonly AcceptedSession[],
): Baseline | null {
  const missing = accepted.filter((entry) => !current?.sessions.some(isSame(entry)));
  const [first] = missing;
  if (first === undefined) return current;
  const start = current ?? emptyBaseline(header, first.session, 'first baseline');
  return compactBaseline(missing.reduce(appendOne, { ...start, facts: header.facts }));
}

/**
 * `current` with the sessions as anchors of a new epoch: what they show is accepted from now on, whatever came before.
 * Idempotent: the very object given where the newest epoch already starts with this session.
 */
export function startEpoch(
  current: Baseline | null,
  header: BaselineHeader,
  accepted: readonly AcceptedSession[],
  reason: string,
): Baseline | null {
  const [first] = accepted;
  if (first === undefined || current?.epochs.at(-1)?.anchor === first.session) return current;
  if (current === null) {
    return compactBaseline(accepted.reduce(appendOne, emptyBaseline(header, first.session, reason)));
  }
  const epoch = { id: currentEpoch(current) + 1, anchor: first.session, reason };
  const next: Baseline = {
    ...current,
    facts: header.facts,
    epochs: [...current.epochs, epoch],
    folded: { sessions: current.folded.sessions, sinceAnchor: {} },
    sessions: current.sessions.filter((entry) => !accepted.some((other) => isSame(other)(entry))),
  };
  return compactBaseline(accepted.reduce(appendOne, next));
}

/** True where both arms have equal bytes, runtime and options. */
export function isSameArm(a: ArmDigest, b: ArmDigest): boolean {
  return a.sha256 === b.sha256 && a.arm.runtime === b.arm.runtime && a.arm.session === b.arm.session;
}

function emptyBaseline(header: BaselineHeader, anchor: string, reason: string): Baseline {
  return {
    schema: BASELINE_SCHEMA,
    model: header.model,
    class: header.class,
    facts: header.facts,
    epochs: [{ id: 1, anchor, reason }],
    folded: { sessions: 0, sinceAnchor: {} },
    sessions: [],
  };
}

function isSame(accepted: AcceptedSession): (entry: StoredSession) => boolean {
  return (entry) => entry.session === accepted.session && entry.case === accepted.case;
}

function appendOne(baseline: Baseline, accepted: AcceptedSession): Baseline {
  const { base, metrics, ...rest } = accepted;
  const earlier = baseline.sessions.filter((entry) => entry.case === accepted.case);
  const stored = Object.entries(metrics).map(([id, { restarts, reference, ratioToBase }]) => [
    id,
    {
      restarts: [...restarts],
      reference: [...reference],
      ratioToPrevious: ratioToLast(earlier, accepted, id, ratioToBase),
    },
  ]);
  const entry: StoredSession = { ...rest, epoch: currentEpoch(baseline), metrics: Object.fromEntries(stored) };
  return { ...baseline, sessions: [...baseline.sessions, entry] };
}

/**
 * The session's ratio to the last one stored, though another writer may have stored sessions since its base was chosen:
 * those links are taken off again, and their variance is added. Exactly 0 for equal arms.
 */
function ratioToLast(
  earlier: readonly StoredSession[],
  accepted: AcceptedSession,
  metric: string,
  ratioToBase: Ratio | null,
): Ratio | null {
  const last = earlier.at(-1);
  if (last === undefined) return null;
  if (isSameArm(last, accepted)) return { log: 0, se: 0 };
  const { base } = accepted;
  const at = base === null ? -1 : earlier.findLastIndex((entry) => isSameArm(entry, base));
  if (at < 0 || ratioToBase === null) return null;
  const since = chainOf(earlier.slice(at + 1), metric);
  if (since.broken) return null;
  return { log: ratioToBase.log - since.log, se: Math.hypot(ratioToBase.se, since.se) };
}
