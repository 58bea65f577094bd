import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';

/** One output of one arm: numbers, or texts of a string tensor. */
export interface OutputValues {
  readonly name: string;
  readonly dtype: string;
  readonly dims: readonly number[];
  readonly elements: readonly string[] | ArrayLike<number>;
}

export interface OutputDifference {
  /** `output.<name>.max-abs` and `.max-rel` for every output both arms have. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Why head's outputs are broken where base's are not; null otherwise. */
  readonly fault: string | null;
  /** What changed in the set of outputs, for people. */
  readonly notes: readonly string[];
}

const NAME_LENGTH = 160;

/**
 * Compares what both arms compute from the same feed. `max-abs` is the largest |head - base|, `max-rel` that over the
 * largest |base| of the output; where texts differ both are 1.
 */
export function compareOutputs(base: readonly OutputValues[], head: readonly OutputValues[]): OutputDifference {
  const metrics: Record<string, number> = {};
  const faults: string[] = [];
  for (const before of base) {
    const after = head.find(({ name }) => name === before.name);
    if (!after) continue;
    const fault = faultOf(before, after);
    if (fault) faults.push(`output ${JSON.stringify(before.name)} ${fault}`);
    else Object.assign(metrics, differences(before, after));
  }
  return { metrics, fault: faults[0] ?? null, notes: describeSets(base, head) };
}

function faultOf(base: OutputValues, head: OutputValues): string | null {
  if (base.dtype !== head.dtype) return `is ${head.dtype} in head, ${base.dtype} in base`;
  if (base.dims.join() !== head.dims.join())
    return `has the shape [${head.dims.join(', ')}] in head, [${base.dims.join(', ')}] in base`;
  const bad = countNonFinite(head.elements);
  return bad > 0 && countNonFinite(base.elements) === 0
    ? `holds ${bad} NaN or infinite values in head, none in base`
    : null;
}

function differences(base: OutputValues, head: OutputValues): Record<string, number> {
  const prefix = `${OUTPUT_METRIC_PREFIX}${base.name.slice(0, NAME_LENGTH)}`;
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < base.elements.length; i++) {
    const [a, b] = [base.elements[i], head.elements[i]];
    if (typeof a === 'number' && typeof b === 'number') {
      if (Number.isFinite(a) && Number.isFinite(b)) largest = Math.max(largest, Math.abs(b - a));
      if (Number.isFinite(a)) scale = Math.max(scale, Math.abs(a));
    } else if (a !== b) {
      largest = 1;
      scale = 1;
    }
  }
  const relative = largest === 0 ? 0 : scale === 0 ? 1 : largest / scale;
  return { [`${prefix}.max-abs`]: largest, [`${prefix}.max-rel`]: relative };
}

function countNonFinite(elements: OutputValues['elements']): number {
  let count = 0;
  for (let i = 0; i < elements.length; i++) {
    const element = elements[i];
    if (typeof element === 'number' && !Number.isFinite(element)) count++;
  }
  return count;
}

function describeSets(base: readonly OutputValues[], head: readonly OutputValues[]): string[] {
  const names = (values: readonly OutputValues[]): Set<string> => new Set(values.map(({ name }) => name));
  const [before, after] = [names(base), names(head)];
  const gone = [...before].filter((name) => !after.has(name));
  const added = [...after].filter((name) => !before.has(name));
  if (gone.length === 0 && added.length === 0) return [];
  const list = (values: readonly string[]): string => values.map((name) => JSON.stringify(name)).join(', ');
  return [
    `outputs differ: ${gone.length > 0 ? `only in base ${list(gone)}` : ''}${gone.length > 0 && added.length > 0 ? '; ' : ''}${added.length > 0 ? `only in head ${list(added)}` : ''}`,
  ];
}
