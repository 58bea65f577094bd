import type { OutputValues } from './output-difference.ts';

/** Name of the output with the fewest elements: fetching copies bytes, and the whole graph runs either way. */
export function smallestOutput(outputs: readonly Pick<OutputValues, 'name' | 'dims'>[]): string {
  const [first, ...rest] = outputs;
  const size = (dims: readonly number[]): number => dims.reduce((product, dim) => product * dim, 1);
  return rest.reduce((best, output) => (size(output.dims) < size(best.dims) ? output : best), first ?? NONE).name;
}

const NONE = { name: '', dims: [] } as const;

/** What each arm fetches in timed runs: the same output in both where both have it. */
export function chooseFetch(
  policy: 'smallest' | 'all',
  base: readonly OutputValues[] | null,
  head: readonly OutputValues[],
): { readonly base: readonly string[] | null; readonly head: readonly string[] } {
  if (policy === 'all') return { base: base?.map(({ name }) => name) ?? null, head: head.map(({ name }) => name) };
  const shared = base ? head.filter(({ name }) => base.some((output) => output.name === name)) : head;
  const own = smallestOutput(head);
  if (!base) return { base: null, head: [own] };
  return shared.length > 0
    ? { base: [smallestOutput(shared)], head: [smallestOutput(shared)] }
    : { base: [smallestOutput(base)], head: [own] };
}
