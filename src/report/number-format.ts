const MINUS = '−';

/** Display units of a canonical unit, smallest first, with their size in it. */
const SCALES: Readonly<Record<string, readonly (readonly [size: number, name: string])[]>> = {
  ms: [
    [1e-6, 'ns'],
    [1e-3, 'us'],
    [1, 'ms'],
    [1e3, 's'],
  ],
  B: [
    [1, 'B'],
    [2 ** 10, 'KiB'],
    [2 ** 20, 'MiB'],
    [2 ** 30, 'GiB'],
    [2 ** 40, 'TiB'],
  ],
  '1/s': [[1, '/s']],
  J: [
    [1e-3, 'mJ'],
    [1, 'J'],
    [1e3, 'kJ'],
  ],
  usd: [[1, 'USD']],
  ratio: [[1, '']],
  count: [[1, '']],
};

/** Figure such as `4.02 ms`, `163 us`, `1.21 GiB` or `7,960 /s` of a value in a canonical unit; `n/a` for null. */
export function formatQuantity(value: number | null, unit: string): string {
  if (value === null || !Number.isFinite(value)) return 'n/a';
  const [size, name] = scaleOf(value, unit);
  return withUnit(figure(value / size, name), name);
}

/** Figure of a limit as people set it: `12 ms` rather than `12.0 ms`. */
export function formatLimit(value: number, unit: string): string {
  return formatQuantity(value, unit)
    .replace(/(\.\d*?)0+(?= |$)/, '$1')
    .replace(/\.(?= |$)/, '');
}

/** `4.02 → 4.35 ms`: the unit is named once where both sides share it. */
export function formatPair(base: number | null, head: number | null, unit: string): string {
  const [left, right] = [formatQuantity(base, unit), formatQuantity(head, unit)];
  const shared = / (\S+)$/.exec(right)?.[1];
  const isShared = shared !== undefined && left.endsWith(` ${shared}`);
  return `${isShared ? left.slice(0, -shared.length - 1) : left} → ${right}`;
}

/** Signed change such as `+8.1 %`, `−0.04 %` or `0 %`; a change too small to print keeps its sign. */
export function formatChange(fraction: number | null): string {
  return fraction === null || !Number.isFinite(fraction) ? 'n/a' : `${signedPercent(fraction)} %`;
}

/** Unsigned share such as `3 %` or `2.5 %`: margins and the smallest visible change. */
export function formatShare(fraction: number | null): string {
  if (fraction === null || !Number.isFinite(fraction)) return 'n/a';
  return `${trimZeros(figure(fraction * 100, '%'))} %`;
}

/** Interval of a change: `+6.9 … +9.3`, or its one bounded end in words; empty where neither end is bounded. */
export function formatInterval(interval: readonly [number | null, number | null] | null): string {
  const [low, high] = interval ?? [null, null];
  if (low !== null && high !== null) return `${signedPercent(low)} … ${signedPercent(high)}`;
  if (high !== null) return `at most ${formatChange(high)}`;
  return low === null ? '' : `at least ${formatChange(low)}`;
}

/** Whole or fractional number with a typographic minus and grouped thousands, independent of any locale. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? grouped(value.toFixed(0)) : figure(value, '');
}

function scaleOf(value: number, unit: string): readonly [size: number, name: string] {
  const scales = (Object.hasOwn(SCALES, unit) ? SCALES[unit] : undefined) ?? [[1, unit] as const];
  const fits = scales.filter(([size]) => Math.abs(Number((value / size).toPrecision(3))) >= 1);
  const smallest = value === 0 ? (scales.find(([size]) => size === 1) ?? scales[0]) : scales[0];
  return fits.at(-1) ?? smallest ?? [1, unit];
}

/** Three significant digits, integers from 100 on; exponents only where plain digits would be unreadable. */
function figure(value: number, name: string): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return grouped(value.toExponential(2));
  if (value === 0 || name === 'B' || size >= 100) return grouped(value.toFixed(0));
  const text = grouped(value.toPrecision(3));
  return name === '' ? trimZeros(text) : text;
}

function signedPercent(fraction: number): string {
  const percent = Math.abs(fraction * 100);
  if (percent === 0) return '0';
  return `${fraction < 0 ? MINUS : '+'}${percentDigits(percent)}`;
}

function percentDigits(percent: number): string {
  if (percent >= 1e15) return figure(percent, '%');
  if (percent >= 99.95) return grouped(percent.toFixed(0));
  if (percent >= 0.05) return percent.toFixed(1);
  return percent >= 0.001 ? String(Number(percent.toPrecision(1))) : '<0.001';
}

function grouped(digits: string): string {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(.*)$/.exec(digits) ?? [];
  const thousands = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return `${sign && MINUS}${thousands}${rest.replace('e-', `e${MINUS}`)}`;
}

function trimZeros(digits: string): string {
  return digits.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
}

function withUnit(digits: string, name: string): string {
  return name === '' ? digits : `${digits} ${name}`;
}
