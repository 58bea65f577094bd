import { median, sampleStandardDeviation } from 'simple-statistics';
import type { AcceptedMetric, AcceptedSession, ArmDigest } from '../baseline/append-session.ts';
import type { SessionGroup } from '../baseline/baseline-commands.ts';
import type { Ratio } from '../baseline/baseline-schema.ts';
import { HOST_FACT } from '../baseline/environment-class.ts';
import { REFERENCE_ROUNDS } from '../baseline/reference-workload.ts';
import { MIN_RESTARTS } from '../compare/looks.ts';
import type { Entry, Measurement, Restart } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import { canonicalUnit } from '../metrics/units.ts';
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
      header: { model, class: head.environment.class, facts: head.environment.facts },
      sessions: own.filter((entry) => validRestarts(entry).length > 0).map((entry) => toSession(entry, request)),
      whyNot: whyNotStored(own, verdict),
    };
  });
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
  const measured = validRestarts(entry).filter((restart) => Object.hasOwn(restart.values, id));
  const row = verdict.rows.find(
    (candidate) => candidate.case === entry.case.id && candidate.metric === id && candidate.comparison === 'paired',
  );
  return {
    restarts: measured.map((restart) => rounded(restart.values[id] ?? 0)),
    reference: referenceOf(measured, entry.metrics[id]?.unit ?? METRICS.get(id)?.unit ?? 'ratio'),
    ratioToBase: base === undefined ? null : ratioOf(id, measured, base, row?.change ?? null),
  };
}

/** Log-ratio of the paired estimate, its standard error from the restarts' own ratios. */
function ratioOf(id: string, head: readonly Restart[], base: Entry, change: number | null): Ratio | null {
  const bases = new Map(validRestarts(base).map((restart) => [restart.index, restart.values[id]]));
  const logs = head
    .map((restart) => Math.log((restart.values[id] ?? 0) / (bases.get(restart.index) ?? 0)))
    .filter(Number.isFinite);
  if (logs.length < 2) return null;
  const log = change === null ? median(logs) : Math.log1p(change);
  if (!Number.isFinite(log)) return null;
  return { log: rounded(log), se: rounded(sampleStandardDeviation(logs) / Math.sqrt(logs.length)) };
}

/** The reference workload's medians in the metric's own sense: rates are inverted, sizes have none. */
function referenceOf(restarts: readonly Restart[], unit: string): number[] {
  const canonical = canonicalUnit(unit)?.canonical;
  if (canonical !== 'ms' && canonical !== '1/s') return [];
  const latencies = restarts.map((restart) => restart.rounds?.[REFERENCE_ROUNDS] ?? []);
  if (latencies.some((rounds) => rounds.length === 0 || rounds.some((value) => !(value > 0)))) return [];
  return latencies.map((rounds) => rounded(canonical === 'ms' ? median(rounds) : 1000 / median(rounds)));
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

function validRestarts(entry: Entry): Restart[] {
  return entry.restarts.filter((restart) => restart.valid);
}

/** Six digits: a thousandth of any restart's noise, and half the size of a store. */
function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
