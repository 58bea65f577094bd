import type { Family } from '../compare/paired-row.ts';
import { judgeOf, type RuleBook } from '../compare/row-rule.ts';
import { LOOKS } from '../plan/time-budget.ts';
import type { CasePair } from './case-pairs.ts';
import { metricsOf, ruleOf } from './case-rows.ts';

/**
 * The family all rows are judged in: as the manifest fixed it before measuring, else every gated row of
 * either arm, counted before anything is filtered out.
 */
export function familyOf(pairs: readonly CasePair[], book: RuleBook): Family {
  const { manifest } = book;
  return {
    k: manifest?.k ?? countGated(pairs, book, 'signed-rank'),
    memoryRows: manifest?.memoryRows ?? countGated(pairs, book, 'memory'),
    looks: manifest?.looks ?? LOOKS,
    stage: 'ended',
  };
}

function countGated(pairs: readonly CasePair[], book: RuleBook, judge: 'signed-rank' | 'memory'): number {
  const compared = pairs.filter((pair) => !pair.head.some((entry) => entry.isNew || entry.unchanged));
  const rows = compared.flatMap((pair) =>
    metricsOf(pair).map((metric) => ({ metric, rule: ruleOf(metric, pair, { book }) })),
  );
  return rows.filter(
    ({ metric, rule }) => judgeOf(metric.id) === judge && (rule.marginRole === 'gated' || rule.maxIncrease !== null),
  ).length;
}
