import type { Manifest } from '../measure/measurement.ts';
import type { Row } from './verdict.ts';

/**
 * On a pull request creep blames a change only if the change itself is worse: where its own paired interval
 * does not lie above zero, the creep row is advice.
 */
export function withCreepRoles(rows: readonly Row[], manifest: Manifest | null): Row[] {
  if (manifest?.creepRule !== 'if-own-change-worse') return [...rows];
  return rows.map((row) => {
    if (row.comparison !== 'creep' || row.role !== 'gated' || isOwnChangeWorse(row, rows)) return row;
    const reason = `${row.reason} (since the accepted anchor; this change's own interval does not lie above zero, so it is not blamed)`;
    return { ...row, role: 'advisory', reason };
  });
}

function isOwnChangeWorse(creep: Row, rows: readonly Row[]): boolean {
  const own = rows.find((row) => row.comparison === 'paired' && row.case === creep.case && row.metric === creep.metric);
  const end = own?.interval?.[own.better === 'lower' ? 0 : 1] ?? null;
  return end !== null && (own?.better === 'lower' ? end > 0 : end < 0);
}
