import type { SessionEntry } from '../compare/pairing.ts';
import type { Comparison } from '../compare/row-rule.ts';
import type { Entry, Environment, Measurement } from '../measure/measurement.ts';

/** An entry with the session and environment it was measured in. */
export type PlacedEntry = SessionEntry & { readonly environment: Environment };

/** One case of one comparison, with every entry of both arms. */
export interface CasePair {
  readonly comparison: Comparison;
  readonly caseId: string;
  readonly model: string;
  readonly base: readonly PlacedEntry[];
  readonly head: readonly PlacedEntry[];
}

/** All cases of both files in the order of their ids, numbers by value. */
export function pairCases(base: Measurement | null, head: Measurement): CasePair[] {
  const sides = {
    base: base ? base.entries.map((entry) => place(entry, base)) : [],
    head: head.entries.map((entry) => place(entry, head)),
  };
  const keys = new Map([...sides.head, ...sides.base].map((entry) => [keyOf(entry), entry]));
  return [...keys]
    .map(([key, entry]) => ({
      comparison: entry.comparison ?? 'paired',
      caseId: entry.case.id,
      model: entry.subject.model,
      base: sides.base.filter((other) => keyOf(other) === key),
      head: sides.head.filter((other) => keyOf(other) === key),
    }))
    .sort((a, b) => compareIds(a.caseId, b.caseId) || compareIds(b.comparison, a.comparison));
}

/** Order of ids: code units, but runs of digits by their value, so that b8 comes before b32. */
export function compareIds(a: string, b: string): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  if (left !== right) return left < right ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortKey(id: string): string {
  return id.replace(/\d+/g, (digits) => digits.padStart(16, '0'));
}

function keyOf(entry: Entry): string {
  return JSON.stringify([entry.comparison ?? 'paired', entry.case.id]);
}

function place(entry: Entry, file: Measurement): PlacedEntry {
  return { ...entry, session: entry.session ?? file.session, environment: entry.environment ?? file.environment };
}
