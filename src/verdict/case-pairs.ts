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
  /** Why sessions of this case were left out: attempts on another machine, or of another head. */
  readonly leftOut: readonly string[];
}

/** All cases of both files in the order of their ids, numbers by value. */
export function pairCases(base: Measurement | null, head: Measurement): CasePair[] {
  const bases = byCase(base ? base.entries.map((entry) => place(entry, base)) : []);
  const heads = byCase(head.entries.map((entry) => place(entry, head)));
  return [...new Map([...heads, ...bases])]
    .map(([key, [entry]]) => ({
      comparison: entry.comparison ?? ('paired' as const),
      caseId: entry.case.id,
      model: entry.subject.model,
      ...withLikeSessions(bases.get(key) ?? [], heads.get(key) ?? []),
    }))
    .sort((a, b) => compareIds(a.caseId, b.caseId) || compareIds(b.comparison, a.comparison));
}

/** Entries by case and comparison, in file order. */
function byCase(entries: readonly PlacedEntry[]): Map<string, [PlacedEntry, ...PlacedEntry[]]> {
  const cases = new Map<string, [PlacedEntry, ...PlacedEntry[]]>();
  for (const entry of entries) {
    const key = JSON.stringify([entry.comparison ?? 'paired', entry.case.id]);
    const known = cases.get(key);
    if (known) known.push(entry);
    else cases.set(key, [entry]);
  }
  return cases;
}

/** Attempts continue each other only where machine class and head's bytes are those of the last one. */
function withLikeSessions(
  base: readonly PlacedEntry[],
  head: readonly PlacedEntry[],
): Pick<CasePair, 'base' | 'head' | 'leftOut'> {
  const last = head.at(-1);
  const unlike = new Map(
    head.flatMap((entry) => {
      const reason = last && unlikeReason(entry, last);
      return reason ? [[entry.session, reason]] : [];
    }),
  );
  return {
    base: base.filter((entry) => !unlike.has(entry.session)),
    head: head.filter((entry) => !unlike.has(entry.session)),
    leftOut: [...unlike].map(([session, reason]) => `session ${JSON.stringify(session)}: ${reason}`),
  };
}

function unlikeReason(entry: PlacedEntry, last: PlacedEntry): string | null {
  if (entry.environment.class !== last.environment.class) return 'measured in another environment class';
  if (entry.subject.sha256 !== last.subject.sha256) return 'measured with another head';
  return null;
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

function place(entry: Entry, file: Measurement): PlacedEntry {
  return { ...entry, session: entry.session ?? file.session, environment: entry.environment ?? file.environment };
}
