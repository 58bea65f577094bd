import type { BaselineNote } from '../baseline/choose-reference.ts';
import type { MetricFacts } from './series.ts';
import type { History } from './stored-history.ts';

interface Compared {
  readonly history: History;
  readonly margin: number;
  readonly change: number;
  readonly sessions: number;
}

/** Why a stored row has its status. */
export type StoredReason =
  | { readonly kind: 'other-workload'; readonly stored: string; readonly head: string }
  | { readonly kind: 'not-positive' }
  | { readonly kind: 'few-sessions'; readonly history: History; readonly fewest: number }
  | { readonly kind: 'narrow-margin'; readonly needed: number; readonly margin: number; readonly spread: number }
  | ({
      readonly kind: 'within' | 'improved' | 'beyond' | 'once-beyond' | 'undecided' | 'disagree' | 'old-mode';
    } & Compared);

/** The reason as one sentence with the next step. */
export function reasonOf(reason: StoredReason): string {
  switch (reason.kind) {
    case 'other-workload':
      return `workload differs: stored sessions did ${reason.stored}, head does ${reason.head}: accept a session of the new work`;
    case 'not-positive':
      return 'a value is not positive: it has no ratio to stored sessions';
    case 'few-sessions':
      return `${count(reason.history)}, ${reason.fewest} are needed: make base runnable, or accept more sessions`;
    case 'narrow-margin':
      return `needs a margin of ${Math.ceil(1000 * reason.needed) / 10} %: stored sessions spread by ${percent(reason.spread)}, the margin is ${percent(reason.margin)}`;
    case 'within':
      return `within ${percent(reason.margin)} of ${count(reason.history)}`;
    case 'improved':
      return `better by ${percent(Math.abs(reason.change))} than ${count(reason.history)}: accept a new baseline`;
    case 'beyond':
      return `beyond ${percent(reason.margin)} of ${count(reason.history)} in ${reason.sessions} sessions`;
    case 'once-beyond':
      return `beyond ${percent(reason.margin)} of ${count(reason.history)}: a second session must confirm it before it fails`;
    case 'undecided':
      return `not settled against ${count(reason.history)} (margin ${percent(reason.margin)}): make base runnable, then both are measured together`;
    case 'disagree':
      return `head's sessions disagree about ${percent(reason.margin)}: make base runnable, then both are measured together`;
    case 'old-mode':
      return `accepted sessions were this slow before (the machine has two modes): only a run of base beside head can decide`;
  }
}

export interface WarningFacts {
  readonly metric: MetricFacts;
  readonly history: History;
  readonly margin: number;
  readonly plain: number;
  readonly spread: number;
}

/** What a reader must know of the sessions compared with. */
export function warningsOf({ metric, history, margin, plain, spread }: WarningFacts): BaselineNote[] {
  const outliers = history.leftOut.map((entry) => entry.session).join(', ');
  return [
    ...(outliers === ''
      ? []
      : [{ code: 'stored-outliers', text: `left out as outliers of ${metric.id}: ${outliers}` }]),
    ...(margin <= plain
      ? []
      : [
          {
            code: 'stored-margin',
            text: `the stored comparison of ${metric.id} allows ${percent(margin)} instead of ${percent(plain)}: sessions of an unchanged model spread by ${percent(spread)}`,
          },
        ]),
  ];
}

function count({ kept, scale, hosts }: History): string {
  const where = hosts === 'same' ? ' of this host' : '';
  const how = scale === 'ratio' ? '' : ', without a reference workload';
  return `${kept.length} stored session${kept.length === 1 ? '' : 's'}${where}${how}`;
}

function percent(fraction: number): string {
  return `${Number((100 * fraction).toPrecision(2))} %`;
}
