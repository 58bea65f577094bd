import { type Verdict, verdictSchema } from './verdict.ts';

/** The verdict file's text: keys in the schema's order, free-form records sorted by name, one row a line. */
export function verdictToJson(verdict: Verdict): string {
  const { rows, ...rest } = verdictSchema.parse(verdict);
  const environment = { ...rest.environment, facts: sortKeys(rest.environment.facts) };
  const head = JSON.stringify({ ...rest, counts: sortKeys(rest.counts), environment });
  return `${head.slice(0, -1)},"rows":[${rows.map((row) => `\n${JSON.stringify(row)}`).join(',')}\n]}\n`;
}

function sortKeys<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}
