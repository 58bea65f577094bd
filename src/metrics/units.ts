/** Units the gate stores; every other unit is converted to one of these on reading. */
export type CanonicalUnit = 'ms' | 'B' | '1/s' | 'ratio' | 'count' | 'J' | 'W' | 'usd';

const UNITS: Readonly<Record<string, { readonly canonical: CanonicalUnit; readonly factor: number }>> = {
  ns: { canonical: 'ms', factor: 1e-6 },
  us: { canonical: 'ms', factor: 1e-3 },
  ms: { canonical: 'ms', factor: 1 },
  s: { canonical: 'ms', factor: 1e3 },
  B: { canonical: 'B', factor: 1 },
  kB: { canonical: 'B', factor: 1e3 },
  MB: { canonical: 'B', factor: 1e6 },
  GB: { canonical: 'B', factor: 1e9 },
  KiB: { canonical: 'B', factor: 2 ** 10 },
  MiB: { canonical: 'B', factor: 2 ** 20 },
  GiB: { canonical: 'B', factor: 2 ** 30 },
  '1/s': { canonical: '1/s', factor: 1 },
  ratio: { canonical: 'ratio', factor: 1 },
  percent: { canonical: 'ratio', factor: 0.01 },
  count: { canonical: 'count', factor: 1 },
  J: { canonical: 'J', factor: 1 },
  W: { canonical: 'W', factor: 1 },
  usd: { canonical: 'usd', factor: 1 },
};

/** Names of all units that files and configs may use. */
export const UNIT_NAMES: readonly string[] = Object.keys(UNITS);

/** The canonical unit of `unit` and the factor that converts to it, or null for an unknown unit. */
export function canonicalUnit(unit: string): { readonly canonical: CanonicalUnit; readonly factor: number } | null {
  return Object.hasOwn(UNITS, unit) ? (UNITS[unit] ?? null) : null;
}

/** A number with its unit, converted to the canonical one. */
export interface Quantity {
  readonly value: number;
  readonly unit: CanonicalUnit;
}

/**
 * Reads `12 ms`, `16MiB`, `2%`, `0.5 ratio` or a bare number (unit `count`); null where it is none of these.
 * Only plain decimals are read: `1,234.5` is null rather than a guess.
 */
export function parseQuantity(text: string): Quantity | null {
  const match = /^\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s*(\S*)\s*$/i.exec(text);
  if (!match?.[1]) return null;
  const name = match[2] === '%' ? 'percent' : match[2] === '' ? 'count' : (match[2] ?? '');
  const unit = canonicalUnit(name);
  const value = Number(match[1]);
  return unit && Number.isFinite(value) ? { value: value * unit.factor, unit: unit.canonical } : null;
}
