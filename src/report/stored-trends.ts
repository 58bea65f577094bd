import { trendPoints } from '../baseline/baseline-overview.ts';
import { baselineIn, type Histories } from '../baseline/model-history.ts';
import type { Verdict } from '../verdict/verdict.ts';
import type { Trend } from './trend-chart.ts';

const TIMES: ReadonlySet<string> = new Set(['ms', '1/s']);

/** Accepted values of the judged times over their last sessions, the most worrying rows first. */
export function storedTrends({ rows }: Verdict, histories: Histories): Trend[] {
  const judged = rows.filter((row) => row.comparison === 'paired' && row.role === 'gated' && TIMES.has(row.unit));
  const worstFirst = judged.toSorted((a, b) => Number(b.status === 'regressed') - Number(a.status === 'regressed'));
  return worstFirst.flatMap(({ case: caseId, metric, unit }) => {
    const baseline = baselineIn(histories, caseId.split('/')[0] ?? '');
    const points = baseline ? trendPoints(baseline, caseId, metric) : [];
    return points.length < 2 ? [] : [{ title: `${caseId} ${metric}`, unit, points }];
  });
}
