import { durationText } from './duration-text.ts';
import { NAME_LENGTH, terminalText } from './escape.ts';
import { shortCase } from './row-label.ts';

/** Where a case stands; `next` and `last` are the restart counts at which it may and must be decided. */
export interface RestartProgress {
  readonly case: string;
  /** Restarts finished, this one included. */
  readonly restart: number;
  readonly next: number;
  readonly last: number;
  /** Null where it can't be told. */
  readonly secondsLeft: number | null;
}

/** `ranker cpu b32 · restart 4 of 6–41 · 1 min 20 s left`. */
export function restartText(progress: RestartProgress): string {
  const { restart, next, last, secondsLeft } = progress;
  const of = next === last ? String(last) : `${next}–${last}`;
  return joined([caseText(progress.case), `restart ${restart} of ${of}`, leftText(secondsLeft)]);
}

/** `ranker cpu b32 · preparing: staging both arms`. */
export function preparingText(caseId: string, what: string): string {
  return joined([caseText(caseId), `preparing: ${terminalText(what, NAME_LENGTH)}`]);
}

/** `ranker cpu b32 · decided after 9 restarts: pass`. */
export function decidedText(caseId: string, restarts: number, status: string): string {
  const times = restarts === 1 ? '1 restart' : `${restarts} restarts`;
  return joined([caseText(caseId), `decided after ${times}: ${terminalText(status, NAME_LENGTH)}`]);
}

/** `12 cases of 3 models · 4 min to 20 min`: what was planned, said before measuring starts. */
export function plannedText(cases: number, models: number, leastSeconds: number, mostSeconds: number): string {
  const [least, most] = [durationText(leastSeconds), durationText(mostSeconds)];
  const time = least === most ? least : `${least} to ${most}`;
  return joined([`${counted(cases, 'case')} of ${counted(models, 'model')}`, time]);
}

function caseText(id: string): string {
  return terminalText(shortCase(id), NAME_LENGTH);
}

function leftText(seconds: number | null): string {
  return seconds === null ? '' : `${durationText(seconds)} left`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function joined(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}
