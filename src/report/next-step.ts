import { RUN_METRIC } from '../metrics/output-metric.ts';
import type { Row, Verdict } from '../verdict/verdict.ts';
import { shellWord } from './escape.ts';
import type { Phrase } from './phrase.ts';
import { kindOf } from './row-kind.ts';
import { parseCaseId } from './row-label.ts';

/** Command that accepts head's level as the new baseline. */
export const ACCEPT_COMMAND = 'model-gate baseline accept --reason "why this is fine"';

/** Command that measures the row's model again, base against head, on any machine with the repository. */
export function lookCloserCommand(verdict: Verdict, row: Row, modelPaths: Readonly<Record<string, string>>): string {
  const model = parseCaseId(row.case)?.model;
  const path = model !== undefined && Object.hasOwn(modelPaths, model) ? modelPaths[model] : undefined;
  const word = path === undefined ? null : shellWord(path);
  const base = /^[0-9a-f]{7,64}$/.test(verdict.base.commit ?? '') ? ` --base ${verdict.base.commit?.slice(0, 12)}` : '';
  return `model-gate run${base}${word === null ? '' : ` --models ${word}`}`;
}

/** What to do next, given the row that the headline names; null where there is nothing to do. */
export function nextStep(
  verdict: Verdict,
  worst: Row | null,
  modelPaths: Readonly<Record<string, string>>,
): Phrase | null {
  switch (verdict.outcome) {
    case 'pass':
      return passStep(verdict.rows);
    case 'fail':
      return worst === null ? null : failStep(verdict, worst, modelPaths);
    case 'no-verdict':
      return undecidedStep(worst);
    case 'refused':
      return ['fix what is named above, then run it again.'];
  }
}

function passStep(rows: readonly Row[]): Phrase | null {
  if (rows.some((row) => kindOf(row) === 'improved'))
    return ['keep the gain by accepting it as the baseline: ', { code: ACCEPT_COMMAND }];
  if (rows.some((row) => kindOf(row) === 'undecided')) return ['run it again to decide the rest.'];
  return null;
}

function failStep(verdict: Verdict, worst: Row, modelPaths: Readonly<Record<string, string>>): Phrase {
  const closer: Phrase = ['look closer with ', { code: lookCloserCommand(verdict, worst, modelPaths) }];
  return worst.metric === RUN_METRIC ? closer : [...closer, ', or waive or accept it with a reason (shown below).'];
}

function undecidedStep(worst: Row | null): Phrase {
  switch (worst?.status) {
    case 'inconclusive':
      return worst.furtherRestarts === null
        ? ['run it again, or raise ', { code: 'time-budget' }, ' in the config.']
        : [`run it again; about ${worst.furtherRestarts} more restarts should decide.`];
    case 'no-baseline':
      return ['accept a first baseline: ', { code: ACCEPT_COMMAND }];
    case undefined:
      return ['see the notes below, then run it again.'];
    default:
      return ['clear the reason, then run it again.'];
  }
}
