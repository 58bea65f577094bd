import { RefusedError } from '../errors.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { canonicalUnit, UNIT_NAMES } from '../metrics/units.ts';
import type { Entry, Restart } from './measurement.ts';

/**
 * The entry with every metric stated in full and every value in its canonical unit.
 * @throws RefusedError for a metric whose unit, direction or definition is missing or does not fit.
 */
export function canonicalEntry(entry: Entry, where: string): Entry {
  const ids = new Set([
    ...Object.keys(entry.metrics),
    ...entry.restarts.flatMap((restart) => Object.keys(restart.values)),
  ]);
  const statements = new Map([...ids].sort().map((id) => [id, statementOf(entry, id, where)]));
  return {
    ...entry,
    metrics: Object.fromEntries([...statements].map(([id, { factor: _, ...statement }]) => [id, statement])),
    restarts: entry.restarts.map((restart, i) =>
      convert(restart, (id) => statements.get(id)?.factor ?? 1, `${where}.restarts[${i}]`),
    ),
  };
}

function statementOf(entry: Entry, id: string, where: string) {
  const stated = entry.metrics[id] ?? {};
  const known = METRICS.get(id);
  const at = `${where}.metrics[${JSON.stringify(id)}]`;
  const unitName = stated.unit ?? known?.unit;
  const better = stated.better ?? known?.better;
  const definition = stated.definition ?? known?.definition;
  if (unitName === undefined || better === undefined || definition === undefined) {
    const lacking = Object.entries({ unit: unitName, better, definition }).filter(([, value]) => value === undefined);
    throw new RefusedError(
      `${at} is not in the metric table and does not state ${lacking.map(([name]) => name).join(', ')}: state unit, better and definition`,
    );
  }
  const unit = canonicalUnit(unitName);
  if (unit === null) {
    throw new RefusedError(`${at}.unit ${JSON.stringify(unitName)} is unknown: use one of ${UNIT_NAMES.join(', ')}`);
  }
  if (known && unit.canonical !== known.unit) {
    throw new RefusedError(
      `${at}.unit is ${unitName}, which does not convert to ${known.unit}: give it in such a unit`,
    );
  }
  if (known && better !== known.better) {
    throw new RefusedError(`${at}.better is ${better}, but for this metric ${known.better} is better: leave it out`);
  }
  return { unit: unit.canonical, better, definition, factor: unit.factor };
}

function convert(restart: Restart, factorOf: (id: string) => number, where: string): Restart {
  const scale = (id: string, value: number): number => {
    const converted = value * factorOf(id);
    if (Number.isFinite(converted)) return converted;
    throw new RefusedError(`${where} holds ${value} for ${JSON.stringify(id)}, too large to convert: correct it`);
  };
  const values = Object.fromEntries(Object.entries(restart.values).map(([id, value]) => [id, scale(id, value)]));
  if (!restart.rounds) return { ...restart, values };
  const rounds = Object.entries(restart.rounds).map(([id, list]) => [id, list.map((value) => scale(id, value))]);
  return { ...restart, values, rounds: Object.fromEntries(rounds) };
}
