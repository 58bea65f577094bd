import { z } from 'zod';
import { type CanonicalUnit, parseQuantity, type Quantity } from '../metrics/units.ts';

/** A share such as `3%` or `0.03`, as a fraction; above 1 only with its unit, as a bare `3` is a slip of `3%`. */
export const fractionSchema = z.union([
  z
    .number()
    .nonnegative()
    .max(1, { error: ({ input }) => describeBareShare(Number(input)) }),
  z.string().transform((text, context) => {
    const quantity = parseQuantity(text);
    if (quantity?.unit === 'count' && quantity.value > 1) {
      context.addIssue(describeBareShare(quantity.value));
      return z.NEVER;
    }
    if (quantity && quantity.value >= 0 && (quantity.unit === 'ratio' || quantity.unit === 'count'))
      return quantity.value;
    context.addIssue(`expected a percentage such as "3%", got "${text}"`);
    return z.NEVER;
  }),
]);

/** A limit such as `12 ms` or `16 MiB`; its unit is checked against the metric where the metric is known. */
export const quantitySchema = z.union([
  z.number().transform((value): Quantity => ({ value, unit: 'count' })),
  z.string().transform((text, context): Quantity => {
    const quantity = parseQuantity(text);
    if (quantity) return quantity;
    context.addIssue(`expected a number with its unit such as "12 ms" or "16 MiB", got "${text}"`);
    return z.NEVER;
  }),
]);

/** A duration such as `20m`, `90s`, `1h` or `30d`, in milliseconds. */
export const durationSchema = z.string().transform((text, context) => {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(s|m|h|d)\s*$/.exec(text);
  const unitMs = { s: 1e3, m: 60e3, h: 3600e3, d: 86400e3 }[match?.[2] ?? ''];
  if (match?.[1] && unitMs) return Number(match[1]) * unitMs;
  context.addIssue(`expected a duration such as "20m", "90s" or "30d", got "${text}"`);
  return z.NEVER;
});

/** Value of `quantity` in `unit`; null where the units do not fit. A bare number fits every unit. */
export function quantityIn(quantity: Quantity, unit: CanonicalUnit): number | null {
  return quantity.unit === unit || quantity.unit === 'count' ? quantity.value : null;
}

function describeBareShare(value: number): string {
  return `a bare ${value} would be ${value * 100} %: write "${value}%" or ${value / 100}`;
}
