import type { AcceptedMetric, AcceptedSession, ArmDigest } from '../baseline/append-session.ts';
import type { SessionGroup } from '../baseline/baseline-commands.ts';
import { effectOfFact, type Facts, HOST_FACT } from '../baseline/environment-class.ts';
import { MIN_RESTARTS } from '../compare/looks.ts';
import { pairedRatio, sessionValues, validRestarts } from '../compare/session-values.ts';
import type { Entry, Measurement } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import type { Row, Verdict } from '../verdict/verdict.ts';

export interface SessionsRequest {
  /** Null where base could not be measured. */
  readonly base: Measurement | null;
  readonly head: Measurement;
  readonly verdict: Verdict;
  /** ISO time. */
  readonly acceptedAt: string;
}

/** What head's measured cases would add to the store, a group for each model; `whyNot` says what stands against it. */
export function sessionsToStore(request: SessionsRequest): SessionGroup[] {
  const { head, verdict } = request;
  const entries = head.entries.filter((entry) => (entry.comparison ?? 'paired') === 'paired');
  const models = [...new Set(entries.map((entry) => entry.subject.model))];
  return models.map((model) => {
    const own = entries.filter((entry) => entry.subject.model === model);
    return {
      header: { model, class: head.environment.class, facts: lastingFacts(head.environment.facts) },
      sessions: own.filter((entry) => validRestarts(entry).length > 0).map((entry) => toSession(entry, request)),
      whyNot: whyNotStored(own, verdict),
    };
  });
}

/** Facts that say which machine it was: those that are only recorded, as its load, belong to a run. */
function lastingFacts(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).filter(([name, value]) => value !== null && effectOfFact(name) !== 'recorded'),
  );
}

const BLOCKING: readonly Row['status'][] = [
  'regressed',
  'inconclusive',
  'incomparable',
  'missing',
  'invalid',
  'no-baseline',
];

function whyNotStored(entries: readonly Entry[], verdict: Verdict): string | null {
  if (verdict.outcome === 'refused') return 'was refused';
  const cases = new Set(entries.map((entry) => entry.case.id));
  const blocked = verdict.rows.find(
    (row) => cases.has(row.case) && row.role === 'gated' && BLOCKING.includes(row.status),
  );
  if (blocked) return `did not pass (${blocked.metric} of ${blocked.case} is ${blocked.status})`;
  const unhealthy = entries.find((entry) => entry.unchanged !== true && isUnhealthy(entry));
  return unhealthy ? `has too few valid restarts in ${unhealthy.case.id}` : null;
}

function isUnhealthy(entry: Entry): boolean {
  return entry.fault !== undefined || validRestarts(entry).length < MIN_RESTARTS;
}

function toSession(entry: Entry, { base, head, verdict, acceptedAt }: SessionsRequest): AcceptedSession {
  const session = entry.session ?? head.session;
  const other = base?.entries.find(
    (candidate) =>
      candidate.case.id === entry.case.id &&
      (candidate.session ?? base.session) === session &&
      (candidate.comparison ?? 'paired') === 'paired',
  );
  const restarts = validRestarts(entry);
  const ids = [...new Set(restarts.flatMap((restart) => Object.keys(restart.values)))].filter(isStored).sort();
  return {
    session,
    acceptedAt,
    commit: entry.subject.commit ?? head.commit ?? null,
    host: String(head.environment.facts[HOST_FACT] ?? ''),
    case: entry.case.id,
    workload: entry.case.workload,
    ...digestOf(entry, `${session} head`),
    base: other === undefined ? null : digestOf(other, `${session} base`),
    metrics: Object.fromEntries(ids.map((id) => [id, toMetric(id, entry, other, verdict)])),
  };
}

/** Kept out: what differs between arms by nature, or is no cost. */
function isStored(id: string): boolean {
  return !id.startsWith(OUTPUT_METRIC_PREFIX) && METRICS.get(id)?.judge !== 'none';
}

function toMetric(id: string, entry: Entry, base: Entry | undefined, verdict: Verdict): AcceptedMetric {
  const row = verdict.rows.find(
    (candidate) => candidate.case === entry.case.id && candidate.metric === id && candidate.comparison === 'paired',
  );
  const ratioToBase = base === undefined ? null : pairedRatio(id, entry, base, row?.change ?? null);
  return { ...sessionValues(entry, id), ratioToBase };
}

/** `where` stands in for missing bytes: what is not known is equal to nothing else. */
function digestOf(entry: Entry, where: string): ArmDigest {
  const { runtime = 'unknown', ...options } = entry.armFacts ?? {};
  const session = Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join(' ');
  return { sha256: entry.subject.sha256 ?? `unknown, ${where}`, arm: { runtime: String(runtime), session } };
}
