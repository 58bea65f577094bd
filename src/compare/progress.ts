import type { GateConfig } from '../inputs/gate-config.ts';
import type { Entry, Manifest } from '../measure/measurement.ts';
import { findRow } from './find-row.ts';
import { MIN_RESTARTS } from './looks.ts';
import { metricFactsOf, metricIdsOf } from './metric-facts.ts';
import { pairRestarts } from './pairing.ts';
import type { RowFinding } from './row-finding.ts';
import { type RuleBook, resolveRowRule } from './row-rule.ts';
import { validityFault } from './validity.ts';

/** What the measuring loop knows of a case: both arms so far, and the rules fixed before measuring. */
export interface ProgressRequest {
  readonly base: Entry;
  readonly head: Entry;
  readonly config: GateConfig;
  readonly manifest: Manifest;
  /** ISO date waivers are checked against; without it all are in force. */
  readonly today?: string;
}

/** How far a case is. */
export interface Progress {
  /** Nothing of the case is worth more restarts: its gated rows are decided, or can't be. */
  readonly decided: boolean;
  readonly undecidedMetrics: readonly string[];
  /** Smallest p-value of "worse by more than is allowed" among the undecided rows: suspects go first. */
  readonly suspicion: number;
  /** A gated row is already proven beyond what is allowed. */
  readonly failed: boolean;
  /** Undecided, and more restarts would hardly settle it. */
  readonly futile: boolean;
  /** Restarts that would settle the undecided rows if their trends hold; null where 41 would not do. */
  readonly expectedFurtherRestarts: number | null;
}

/** Attempts after which a case with too many invalid restarts is given up. */
const ATTEMPTS_BEFORE_GIVING_UP = 9;

/**
 * Judges a case in the middle of measuring, by the same functions as the verdict but at planned looks
 * only, so that what is decided here is decided in the verdict's replay too.
 */
export function progressOf(request: ProgressRequest): Progress {
  const base = { ...request.base, session: '' };
  const head = { ...request.head, session: '' };
  const pairing = pairRestarts([base], [head]);
  if (pairing.total >= ATTEMPTS_BEFORE_GIVING_UP && validityFault(pairing) !== null) return GIVEN_UP;
  const findings = gatedFindings(request, pairing.pairs);
  const open = findings.filter(({ finding }) => finding.decision === 'undecided');
  const futile = open.length > 0 && open.every(({ finding }) => finding.futile);
  const isFirstLookDone = pairing.pairs.length >= Math.min(MIN_RESTARTS, ...request.manifest.looks);
  return {
    decided: isFirstLookDone && (open.length === 0 || futile),
    undecidedMetrics: open.map(({ metric }) => metric),
    suspicion: Math.min(1, ...open.map(({ finding }) => finding.pBeyond)),
    failed: findings.some(({ finding }) => finding.decision === 'beyond'),
    futile,
    expectedFurtherRestarts: furtherOf(open.map(({ finding }) => finding)),
  };
}

const GIVEN_UP: Progress = {
  decided: true,
  undecidedMetrics: [],
  suspicion: 1,
  failed: false,
  futile: true,
  expectedFurtherRestarts: null,
};

function gatedFindings(request: ProgressRequest, pairs: ReturnType<typeof pairRestarts>['pairs']) {
  const { base, head, config, manifest } = request;
  const book: RuleBook = { config, manifest, today: request.today ?? null };
  const family = {
    k: manifest.k,
    memoryRows: manifest.memoryRows ?? 1,
    looks: manifest.looks,
    stage: 'measuring',
  } as const;
  return metricIdsOf([base, head]).flatMap((metric) => {
    const facts = metricFactsOf(metric, head.metrics[metric] ? head : base);
    const rule = resolveRowRule(book, {
      model: head.subject.model,
      case: head.case.id,
      metric,
      unit: facts.unit,
      comparison: head.comparison ?? 'paired',
      provider: head.case.provider ?? null,
    });
    return rule.role === 'gated' ? [{ metric, finding: findRow(pairs, facts, rule, family) }] : [];
  });
}

function furtherOf(open: readonly RowFinding[]): number | null {
  const needs = open.map((finding) => finding.furtherRestarts);
  return needs.includes(null) ? null : Math.max(0, ...needs.map((need) => need ?? 0));
}
