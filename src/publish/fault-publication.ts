import { escapeMarkdown } from '../report/escape.ts';
import { outcomeSign, outcomeWord } from '../report/headline.ts';
import type { Outcome } from '../verdict/verdict.ts';
import type { Publication } from './publisher.ts';

/** What is said where a step ended before there was a verdict: the one line that was thrown. */
export function faultPublication(outcome: Exclude<Outcome, 'pass' | 'fail'>, line: string): Publication {
  const text = `### ${outcomeSign(outcome)} Model Gate: ${outcomeWord(outcome)}\n\n${escapeMarkdown(line)}`;
  return {
    outcome,
    state: 'error',
    headline: `${outcomeWord(outcome)}: ${line}`,
    models: 'changed',
    commentBody: text,
    summary: `${text}\n`,
    annotations: [],
  };
}
