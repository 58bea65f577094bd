import { RefusedError } from '../errors.ts';
import { durationSchema } from '../inputs/quantity-schema.ts';

/** Batches as the command line gives them, `1,8,32`. @throws RefusedError for anything but whole numbers. */
export function parseBatches(text: string): number[] {
  const batches = text.split(',').map((part) => Number(part.trim()));
  if (batches.every((batch) => Number.isInteger(batch) && batch > 0)) return batches;
  throw new RefusedError(`--batch ${JSON.stringify(text)}: give whole numbers from 1, separated by commas`);
}

/** A reader of whole numbers from 1 for the option `name`. It throws RefusedError for anything else. */
export function parseCount(name: string): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (Number.isInteger(count) && count > 0) return count;
    throw new RefusedError(`${name} ${JSON.stringify(text)}: give a whole number from 1`);
  };
}

/** Milliseconds of `90s`, `20m`, `1h` or `30d`. @throws RefusedError for anything else. */
export function parseDuration(text: string): number {
  const parsed = durationSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new RefusedError(parsed.error.issues[0]?.message ?? 'expected a duration such as "30d"');
}
