import type { Verdict } from '../verdict/verdict.ts';
import { cleanText, NAME_LENGTH } from './escape.ts';
import { plural } from './headline.ts';
import type { ReportOptions } from './report-options.ts';
import type { Kind } from './row-kind.ts';
import type { RowView } from './row-view.ts';
import { tableModel } from './table-model.ts';

/** One line beside a run or a file on GitHub; texts are plain, the publisher escapes them as command data. */
export interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  readonly message: string;
}

/** A step shows ten annotations of a level. */
const MOST_ANNOTATIONS = 10;
const ANNOTATED: readonly Kind[] = ['regressed', 'undecided', 'worse'];

/**
 * The worst rows as annotations, ten at most; the last one counts the rest. Errors only where the gate is enforced.
 * @throws RefusedError where the verdict's outcome contradicts its rows.
 */
export function annotationsOf(verdict: Verdict, options: ReportOptions = {}): readonly Annotation[] {
  const model = tableModel(verdict, options);
  const views = model.visible.filter((view) => ANNOTATED.includes(view.kind));
  const blocks = model.enforced && model.outcome !== 'pass';
  const own =
    views.length > 0 || model.outcome === 'pass' ? [] : [{ level: levelOf(blocks), ...outcomeTexts(model.headline) }];
  if (views.length <= MOST_ANNOTATIONS) return [...own, ...views.map((view) => annotate(view, blocks))];
  const shown = views.slice(0, MOST_ANNOTATIONS - 1).map((view) => annotate(view, blocks));
  const rest = plural(views.length - shown.length, 'more row');
  return [...shown, { level: 'warning', title: 'Model Gate', message: `${rest} to look at: see the job summary` }];
}

function annotate(view: RowView, blocks: boolean): Annotation {
  const figures = view.figures === '' ? '' : `: ${view.figures}`;
  const reason = view.row.reason === '' ? '' : `. ${view.row.reason}`;
  return {
    level: levelOf(blocks && view.kind !== 'worse'),
    title: cleanText(`Model Gate: ${view.check}`, NAME_LENGTH),
    message: cleanText(`${view.word}${figures}${reason}`),
  };
}

function outcomeTexts(headline: string): Pick<Annotation, 'title' | 'message'> {
  return { title: 'Model Gate', message: cleanText(headline) };
}

function levelOf(blocks: boolean): Annotation['level'] {
  return blocks ? 'error' : 'warning';
}
