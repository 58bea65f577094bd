import type { RuleBook } from '../compare/row-rule.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import type { Measurement, Note } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import { type CasePair, compareIds, pairCases } from './case-pairs.ts';
import { type JudgeContext, rowsOfCase } from './case-rows.ts';
import { checkConfigFits } from './config-fit.ts';
import { withCreepRoles } from './creep-role.ts';
import { familyOf } from './family.ts';
import { missingRows } from './missing-rows.ts';
import { countRows, outcomeNotes, outcomeOf } from './outcome.ts';
import { type Row, VERDICT_SCHEMA, type Verdict } from './verdict.ts';
import { waiverNotes } from './waiver-notes.ts';

/** All that a verdict depends on. Attempts and shards are merged into one measurement an arm before. */
export interface JudgeRequest {
  /** Null where base could not be measured. */
  readonly base: Measurement | null;
  readonly head: Measurement;
  readonly config: GateConfig;
  /** ISO date on which waivers must still hold. */
  readonly today: string;
  /** Rows judged elsewhere: comparisons with stored baselines. */
  readonly storedRows?: readonly Row[];
}

/**
 * Judges two measurement files under a config: a pure function, so the same files give the same verdict
 * anywhere. @throws RefusedError where the config does not fit the files.
 */
export function judge({ base, head, config, today, storedRows = [] }: JudgeRequest): Verdict {
  const book: RuleBook = { config, manifest: head.manifest ?? null, today };
  const pairs = pairCases(base, head);
  checkConfigFits(config, pairs, book.manifest);
  const context: JudgeContext = { book, family: familyOf(pairs, book), baseFile: base ? 'given' : 'absent' };
  const judged = withStoredRows(
    pairs.flatMap((pair) => rowsOfCase(pair, context)),
    storedRows,
  );
  const complete = [...judged, ...missingRows(judged, pairs, context)];
  const rows = withCreepRoles(complete, book.manifest).sort(compareRows);
  const fileNotes = notesOf(base, head, pairs);
  return {
    schema: VERDICT_SCHEMA,
    outcome: outcomeOf(rows, fileNotes),
    counts: countRows(rows),
    seed: head.manifest?.seed ?? '',
    base: { commit: base?.commit ?? null, session: base?.session ?? null },
    head: { commit: head.commit ?? null, session: head.session },
    mode: head.mode ?? 'none',
    durationS: head.durationS ?? 0,
    environment: head.environment,
    notes: [...outcomeNotes(rows, fileNotes), ...fileNotes, ...waiverNotes(config, rows, pairs, today)],
    rows,
  };
}

/** A gated comparison with stored sessions takes the place of a row that lacks its base; an advisory one is shown beside it. */
function withStoredRows(rows: readonly Row[], stored: readonly Row[]): Row[] {
  const decided = new Set(
    stored
      .filter((row) => row.role === 'gated' && row.comparison === 'stored')
      .map((row) => JSON.stringify([row.case, row.metric])),
  );
  const lacksBase = (row: Row) => row.status === 'no-baseline' && decided.has(JSON.stringify([row.case, row.metric]));
  return [...rows.filter((row) => !lacksBase(row)), ...stored];
}

const METRIC_ORDER = [RUN_METRIC, ...METRICS.keys()];

/** Order of rows: by case, comparison, then the metric table's own order. */
function compareRows(a: Row, b: Row): number {
  return (
    compareIds(a.case, b.case) ||
    compareIds(b.comparison, a.comparison) ||
    rank(a.metric) - rank(b.metric) ||
    compareIds(a.metric, b.metric)
  );
}

function rank(metric: string): number {
  const at = METRIC_ORDER.indexOf(metric);
  return at < 0 ? METRIC_ORDER.length : at;
}

function notesOf(base: Measurement | null, head: Measurement, pairs: readonly CasePair[]): Note[] {
  const fromEntries = pairs.flatMap((pair) => [...pair.head, ...pair.base].flatMap((entry) => entry.notes ?? []));
  const leftOut = pairs.flatMap((pair) =>
    pair.leftOut.map((reason) => ({ code: 'attempt-left-out', text: `${pair.caseId}: left out ${reason}` })),
  );
  const all = [...(head.notes ?? []), ...(base?.notes ?? []), ...fromEntries, ...leftOut];
  return [...new Map(all.map((note) => [JSON.stringify([note.code, note.text]), note])).values()];
}
