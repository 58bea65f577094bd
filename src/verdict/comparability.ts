import type { Environment } from '../measure/measurement.ts';
import type { CasePair, PlacedEntry } from './case-pairs.ts';

/** Why base and head of a case can't be compared, each reason with both values; null where they can. */
export function incomparableReason(pair: CasePair): string | null {
  const [base, head] = [pair.base[0], pair.head[0]];
  if (!base || !head) return null;
  const reasons = [...environmentReasons(pair), ...workloadReasons(pair), ...sessionReasons(pair)];
  return reasons.length === 0 ? null : [...new Set(reasons)].join('; ');
}

/** Why one metric of a case can't be compared; null where it can. */
export function definitionReason(pair: CasePair, metric: string): string | null {
  const base = pair.base.find((entry) => entry.metrics[metric])?.metrics[metric];
  const head = pair.head.find((entry) => entry.metrics[metric])?.metrics[metric];
  if (!base || !head) return null;
  for (const field of ['definition', 'unit', 'better'] as const) {
    if (base[field] !== head[field]) {
      return `${field} differs: ${quote(base[field])} in base, ${quote(head[field])} in head; measure both arms with one tool version`;
    }
  }
  return null;
}

function sessionReasons({ base, head }: CasePair): string[] {
  const sessions = new Set(base.map((entry) => entry.session));
  if (head.some((entry) => sessions.has(entry.session))) return [];
  return [
    `not measured together (session ${quote(base[0]?.session)} and ${quote(head[0]?.session)}): use \`model-gate measure --against\``,
  ];
}

function workloadReasons({ base, head }: CasePair): string[] {
  return pairsOf(base, head).flatMap(([left, right]) =>
    left.case.workload === right.case.workload
      ? []
      : [`workload differs: ${quote(left.case.workload)} in base, ${quote(right.case.workload)} in head`],
  );
}

function environmentReasons({ base, head }: CasePair): string[] {
  return pairsOf(base, head).flatMap(([left, right]) => classReasons(left.environment, right.environment));
}

/** Entries of both arms that would pair: those of one session, else the first of each. */
function pairsOf(base: readonly PlacedEntry[], head: readonly PlacedEntry[]): [PlacedEntry, PlacedEntry][] {
  const shared = head.flatMap((right) =>
    base.filter((left) => left.session === right.session).map((left): [PlacedEntry, PlacedEntry] => [left, right]),
  );
  const [left, right] = [base[0], head[0]];
  return shared.length > 0 || !left || !right ? shared : [[left, right]];
}

function classReasons(base: Environment, head: Environment): string[] {
  if (base.class === head.class) return [];
  const names = [...new Set([...Object.keys(base.facts), ...Object.keys(head.facts)])].sort();
  const differing = names.filter((name) => base.facts[name] !== head.facts[name]);
  if (differing.length === 0)
    return [`environment class differs: ${quote(base.class)} in base, ${quote(head.class)} in head`];
  return differing.map(
    (name) => `${name} differs: ${quote(base.facts[name])} in base, ${quote(head.facts[name])} in head`,
  );
}

function quote(value: unknown): string {
  return value === undefined ? 'unknown' : JSON.stringify(value);
}
