import type { Verdict } from '../verdict/verdict.ts';
import { type Annotation, annotationsOf } from './annotations.ts';
import { renderComment } from './comment.ts';
import { cleanText } from './escape.ts';
import type { ReportOptions } from './report-options.ts';
import { renderSummary } from './summary.ts';
import { tableModel } from './table-model.ts';

/** Everything that GitHub is told about one verdict. */
export interface ReportTexts {
  /** One plain line, as for a commit status: `1 regression in 12 checks`. */
  readonly headline: string;
  readonly comment: string;
  readonly summary: string;
  readonly annotations: readonly Annotation[];
}

/**
 * All reports of one verdict.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function renderReports(verdict: Verdict, options: ReportOptions = {}): ReportTexts {
  const { remark, headline } = tableModel(verdict, options);
  return {
    headline: cleanText(remark === '' ? headline : `${remark}: ${headline}`),
    comment: renderComment(verdict, options),
    summary: renderSummary(verdict, options),
    annotations: annotationsOf(verdict, options),
  };
}
