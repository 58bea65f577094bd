import { metricFactsOf } from '../compare/metric-facts.ts';
import { NO_FINDING } from '../compare/row-finding.ts';
import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { CasePair } from './case-pairs.ts';
import { type JudgeContext, ruleOf } from './case-rows.ts';
import { buildRow, buildRunRow } from './row-build.ts';
import type { Row } from './verdict.ts';

/** Rows the manifest promised before measuring that no file holds: a whole case as one `run` row. */
export function missingRows(rows: readonly Row[], pairs: readonly CasePair[], context: JudgeContext): Row[] {
  const promised = context.book.manifest?.rows ?? [];
  const measured = new Map([...pairs].reverse().map((pair) => [pair.caseId, pair]));
  const absentCases = new Set(promised.filter((row) => !measured.has(row.case)).map((row) => row.case));
  const known = new Set(rows.map((row) => JSON.stringify([row.case, row.comparison, row.metric])));
  // A comparison with stored sessions keeps the promise where there is no base.
  const isKnown = (pair: CasePair, metric: string) =>
    [pair.comparison, 'stored'].some((comparison) => known.has(JSON.stringify([pair.caseId, comparison, metric])));
  const absentRows = promised.flatMap((row) => {
    const pair = measured.get(row.case);
    return pair && !isKnown(pair, RUN_METRIC) && !isKnown(pair, row.metric) ? [{ row, pair }] : [];
  });
  return [
    ...[...absentCases].map((id) =>
      buildRunRow({
        case: id,
        comparison: 'paired',
        status: 'missing',
        reason: 'promised in the manifest, but no file holds it: see why its job did not finish',
      }),
    ),
    ...absentRows.map(({ row, pair }) => {
      const entry = [...pair.head, ...pair.base].find((other) => other.metrics[row.metric]);
      const metric = metricFactsOf(row.metric, entry);
      const rule = { ...ruleOf(metric, pair, context), role: row.role };
      const status = row.role === 'reported' ? ('reported' as const) : ('missing' as const);
      const reason = row.reason ?? 'promised in the manifest, but not measured: see the job log';
      return buildRow({ case: row.case, comparison: pair.comparison, status, reason }, metric, rule, NO_FINDING);
    }),
  ];
}
