/** Accepted values of one row over its last sessions, oldest first. */
export interface Trend {
  readonly title: string;
  /** Name of the y axis: the unit of the values. */
  readonly unit: string;
  /** `at` is a short date or commit. */
  readonly points: readonly { readonly at: string; readonly value: number }[];
}

const MOST_POINTS = 30;

/** Mermaid chart of a trend, or null below two points; only harmless characters reach Mermaid's grammar. */
export function trendChart(trend: Trend): string | null {
  const points = trend.points.filter((point) => Number.isFinite(point.value)).slice(-MOST_POINTS);
  if (points.length < 2) return null;
  const values = points.map((point) => point.value);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const pad = (high - low) * 0.2 || Math.abs(high) * 0.05 || 1;
  return [
    'xychart-beta',
    `  title "${plainWords(trend.title)}"`,
    `  x-axis [${points.map((point) => `"${plainWords(point.at)}"`).join(', ')}]`,
    `  y-axis "${plainWords(trend.unit)}" ${decimal(low - pad)} --> ${decimal(high + pad)}`,
    `  line [${values.map(decimal).join(', ')}]`,
  ].join('\n');
}

function plainWords(text: string): string {
  return text.slice(0, 80).replace(/[^A-Za-z0-9 ._/·-]/g, '_');
}

/** Mermaid reads no exponents. */
function decimal(value: number): string {
  const digits = Number(value.toPrecision(5));
  return digits.toFixed(Math.min(20, Math.max(0, 4 - Math.floor(Math.log10(Math.abs(digits) || 1)))));
}
