import type { Interval } from '../compare/walsh.ts';

const MINUS = '−';

/** A change with its sign, as `+8.1 %`; `n/a` where it is null. */
export function signedPercent(fraction: number | null): string {
  if (fraction === null) return 'n/a';
  const sign = fraction > 0 ? '+' : fraction < 0 ? MINUS : '';
  return `${sign}${percent(Math.abs(fraction))}`;
}

/** A size, as `3 %` or `0.25 %`. */
export function percent(fraction: number): string {
  const value = fraction * 100;
  return `${Number(value.toFixed(value >= 1 ? 1 : 2))} %`;
}

/** An interval, as `+6.9 % … +9.3 %`, `at most +1.2 %` or `at least +2 %`; null where both ends are open. */
export function intervalText(interval: Interval | null): string | null {
  if (interval === null) return null;
  const [low, high] = interval;
  if (low === null) return high === null ? null : `at most ${signedPercent(high)}`;
  return high === null ? `at least ${signedPercent(low)}` : `${signedPercent(low)} … ${signedPercent(high)}`;
}

const BYTES = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** A value in a canonical unit, as `12.4 ms` or `1.21 GiB`. */
export function quantity(value: number, unit: string): string {
  if (unit === 'B') {
    const step = Math.min(BYTES.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, Math.abs(value))) / 10)));
    return `${short(value / 2 ** (10 * step))} ${BYTES[step]}`;
  }
  if (unit === 'ms' && Math.abs(value) < 1 && value !== 0) return `${short(value * 1e3)} us`;
  if (unit === 'ms' && Math.abs(value) >= 1e3) return `${short(value / 1e3)} s`;
  return unit === 'ratio' || unit === 'count' ? short(value) : `${short(value)} ${unit}`;
}

/** `1 restart`, `2 restarts`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** How a change in the bad or good direction of a unit is called. */
export function directionWord(unit: string, better: 'lower' | 'higher', proven: 'worse' | 'better'): string {
  if (unit === 'ms' || unit === '1/s') return proven === 'worse' ? 'slower' : 'faster';
  const isHigher = (better === 'lower') === (proven === 'worse');
  if (unit === 'B') return isHigher ? 'larger' : 'smaller';
  return isHigher ? 'higher' : 'lower';
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}
