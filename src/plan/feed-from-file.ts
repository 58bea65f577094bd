import type { InputSpec } from '../inputs/gate-config.ts';
import type { TensorInfo } from '../model/model-facts.ts';
import { type DimSizes, fits, isBatch } from './feed-dims.ts';
import type { FeedFileFacts } from './feed-files.ts';
import { ask } from './feed-questions.ts';
import type { ArmName, FeedSpec } from './plan.ts';

/** A feed read from a file: its first dimension is cut into batches where the model's takes the batch. */
export function resolveFile(
  arm: ArmName,
  input: TensorInfo,
  file: string,
  key: string | undefined,
  facts: FeedFileFacts | undefined,
  known: DimSizes,
):
  | { readonly feed: FeedSpec; readonly usesBatch: boolean }
  | { readonly feed: null; readonly usesBatch: boolean; readonly question: string } {
  const name = `the file ${JSON.stringify(file)}${key === undefined ? '' : ` (${key})`}`;
  const stop = (problem: string) => ({ feed: null, usesBatch: false, question: ask(input, problem) });
  if (!facts) return stop(`is to come from ${name}, which was not read: check the path`);
  if (facts.dtype !== input.dtype)
    return stop(`cannot be fed from ${name}, which holds ${facts.dtype}: save it as ${input.dtype}`);
  if (!fits(input.dims, facts.dims) || facts.dims.includes(0))
    return stop(`does not take ${name} of shape [${facts.dims.join(', ')}]: save it in the input's shape`);
  const first = input.dims?.[0];
  const usesBatch = first !== undefined && isBatch(first, 0, known);
  const dims = facts.dims.map((size, axis) => (axis === 0 && usesBatch ? known.batch : size));
  const source: InputSpec = { file, ...(key === undefined ? {} : { key }) };
  return { feed: { name: input.name, dtype: input.dtype, dims, arms: arm, source }, usesBatch };
}
