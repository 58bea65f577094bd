import { isInForce, waiverCovers } from '../compare/row-rule.ts';
import type { GateConfig, Waiver } from '../inputs/gate-config.ts';
import type { Note } from '../measure/measurement.ts';
import type { CasePair } from './case-pairs.ts';
import type { Row } from './verdict.ts';
import { percent } from './words.ts';

/** A ceiling of more than this many times what was seen allows things nobody looked at. */
const TOO_WIDE = 2;

/** What is to be said of the waivers: expired, matching nothing, not needed, or wider than what they excuse. */
export function waiverNotes(
  config: GateConfig,
  rows: readonly Row[],
  pairs: readonly CasePair[],
  today: string,
): Note[] {
  const models = new Map(pairs.map((pair) => [pair.caseId, pair.model]));
  return (config.waivers ?? []).flatMap((waiver) => {
    const covered = rows.filter((row) =>
      waiverCovers(waiver, { model: models.get(row.case) ?? '', metric: row.metric, case: row.case }),
    );
    const names = new Set([...models.values(), ...(config.models ?? []).map((model) => model.id ?? waiver.model)]);
    const isElsewhere = ![...models.values()].includes(waiver.model) && (!config.models || names.has(waiver.model));
    return isElsewhere && isInForce(waiver, today) ? [] : noteOf(waiver, covered, today);
  });
}

function noteOf(waiver: Waiver, rows: readonly Row[], today: string): Note[] {
  const name = `waiver of ${waiver.case ?? waiver.model} ${waiver.metric}`;
  if (!isInForce(waiver, today)) {
    const headline = rows.some((row) => row.role === 'gated' && row.status === 'regressed');
    return [{ code: 'waiver-expired', text: `${name}: waiver expired on ${waiver.until}, ignored`, headline }];
  }
  if (rows.length === 0) {
    return [{ code: 'waiver-unused', text: `${name} matches no row of this run: check its names, or remove it` }];
  }
  const judged = rows.filter((row) => row.margin !== null);
  if (judged.length > 0 && judged.every((row) => waiver.ceiling < (row.margin ?? 0))) {
    const text = `${name} has a ceiling of ${percent(waiver.ceiling)}, below the margin: ignored`;
    return [{ code: 'waiver-below-margin', text }];
  }
  if (rows.every((row) => row.status === 'pass' || row.status === 'improved' || row.status === 'unchanged')) {
    return [{ code: 'waiver-unneeded', text: `${name} is not needed: every row passes without it; remove it` }];
  }
  const seen = Math.max(...rows.filter((row) => row.status === 'waived').map(worstSeen));
  if (Number.isFinite(seen) && seen > 0 && waiver.ceiling > TOO_WIDE * seen) {
    const text = `${name} allows ${percent(waiver.ceiling)} where at most ${percent(seen)} was seen: lower its ceiling`;
    return [{ code: 'waiver-too-wide', text }];
  }
  return [];
}

/** Upper end of what the run saw, in the worse direction. */
function worstSeen(row: Row): number {
  const ends = [row.interval?.[row.better === 'lower' ? 1 : 0], row.change].filter(
    (end) => end !== null && end !== undefined,
  );
  return Math.max(...ends.map((end) => (row.better === 'lower' ? end : -end)));
}
