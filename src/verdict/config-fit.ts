import { RefusedError } from '../errors.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import { didYouMean, quoteName } from '../inputs/suggestion.ts';
import type { Manifest } from '../measure/measurement.ts';
import { METRICS } from '../metrics/metric-table.ts';
import { OUTPUT_METRIC_PREFIX } from '../metrics/output-metric.ts';
import type { CasePair } from './case-pairs.ts';
import { metricsOf } from './case-rows.ts';

/**
 * Refuses a config whose keys name nothing in the files they would have to be in: a limit nobody
 * applies is worse than none. A manifest shows that a gate chose what to measure: models it left out can't be checked.
 * @throws RefusedError naming the key.
 */
export function checkConfigFits(config: GateConfig, pairs: readonly CasePair[], manifest: Manifest | null): void {
  checkNearMisses(config.metrics, pairs);
  for (const model of config.models ?? []) {
    const own = pairs.filter((pair) => pair.model === model.id);
    if (own.length === 0) {
      if (manifest === null) refuseAbsentModel(model, pairs);
      continue;
    }
    const place = `models ${quoteName(model.id ?? '')}`;
    checkMetrics(model.metrics, own, `${place} metrics`);
    const cases = [...own.map((pair) => pair.caseId), ...(manifest?.rows ?? []).map((row) => row.case)];
    for (const [id, entry] of Object.entries(model.cases ?? {})) {
      if (!cases.includes(id) && isForOtherProvider(id, cases)) continue;
      if (!cases.includes(id)) {
        throw new RefusedError(`${place} cases: no case ${quoteName(id)} was measured${didYouMean(id, cases)}`);
      }
      checkMetrics(
        entry.metrics,
        own.filter((pair) => pair.caseId === id),
        `${place} cases ${quoteName(id)} metrics`,
      );
    }
  }
}

/** Cases of a provider that this run does not have belong to another runner's job. */
function isForOtherProvider(id: string, cases: readonly string[]): boolean {
  const providerOf = (caseId: string) => caseId.split('/')[1];
  const provider = providerOf(id);
  return provider !== undefined && id.split('/').length >= 4 && !cases.some((other) => providerOf(other) === provider);
}

/** Files without a manifest are all there is: the policy of a model that they lack would be applied to nothing. */
function refuseAbsentModel(model: NonNullable<GateConfig['models']>[number], pairs: readonly CasePair[]): void {
  if (model.id === undefined || pairs.length === 0 || !(model.metrics || model.cases)) return;
  const known = [...new Set(pairs.map((pair) => pair.model))];
  const hint = didYouMean(model.id, known) || `; they hold ${known.map(quoteName).join(', ')}`;
  throw new RefusedError(`models: no model ${quoteName(model.id)} in the measurement files${hint}`);
}

function checkMetrics(
  policies: Readonly<Record<string, unknown>> | undefined,
  pairs: readonly CasePair[],
  place: string,
): void {
  const known = knownMetrics(pairs);
  if (!pairs.some((pair) => pair.head.some((entry) => entry.restarts.length > 0))) return;
  for (const id of Object.keys(policies ?? {})) {
    if (known.includes(id) || id.startsWith(OUTPUT_METRIC_PREFIX)) continue;
    throw new RefusedError(`${place}: no metric ${quoteName(id)} in the table or the files${didYouMean(id, known)}`);
  }
}

/** A metric for all models may belong to one that was not measured this time; a slip of a known name can't. */
function checkNearMisses(policies: Readonly<Record<string, unknown>> | undefined, pairs: readonly CasePair[]): void {
  const known = knownMetrics(pairs);
  for (const id of Object.keys(policies ?? {})) {
    const near = known.includes(id) || id.startsWith(OUTPUT_METRIC_PREFIX) ? '' : didYouMean(id, known);
    if (near !== '') throw new RefusedError(`metrics: no metric ${quoteName(id)} in the table or the files${near}`);
  }
}

function knownMetrics(pairs: readonly CasePair[]): string[] {
  return [...METRICS.keys(), ...pairs.flatMap((pair) => metricsOf(pair).map((metric) => metric.id))];
}
