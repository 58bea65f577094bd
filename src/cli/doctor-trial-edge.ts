import { median } from 'simple-statistics';
import { describeAgreement } from '../compare/agreement.ts';
import { metricFactsOf } from '../compare/metric-facts.ts';
import { pairRestarts } from '../compare/pairing.ts';
import { NoVerdictError } from '../errors.ts';
import { type GateModelsEdges, gateModels } from '../gate-models.ts';
import { EMPTY_CONFIG, type ModelConfig } from '../inputs/gate-config.ts';
import type { Bench, Machine } from '../measure/bench.ts';
import { readFeedFiles } from '../measure/feed-files-edge.ts';
import type { Entry, Measurement } from '../measure/measurement.ts';
import type { Workbench } from '../measure/workbench-edge.ts';
import { METRICS } from '../metrics/metric-table.ts';
import type { CaseGroup } from '../plan/plan.ts';
import { planGroups } from '../plan/plan-groups.ts';
import type { DoctorTrial } from '../report/doctor-report.ts';
import { readArm } from './local-model-edge.ts';

export interface TrialRequest {
  readonly modelFile: string;
  readonly config: ModelConfig & { readonly id: string };
  readonly restarts: number;
  readonly session: string;
  readonly machine: Machine;
  readonly workbench: Workbench;
  readonly edges: Omit<GateModelsEdges, 'measurer' | 'machineNotes'>;
}

/** What a trial found, and the card's clocks while it ran. */
export interface TrialResult {
  readonly trial: DoctorTrial;
  readonly clocksUnderLoadMHz: readonly number[];
}

const METRIC = 'latency.p50';
const MARGIN = 0.03;

/**
 * Measures two separately staged copies of one model against each other by the gate's own measurer, then once with a
 * single feed. @throws NoVerdictError where the model cannot be fed or run here.
 */
export async function runTrial(request: TrialRequest): Promise<TrialResult> {
  const { config, machine, workbench, restarts, edges } = request;
  const choice = machine.chooseProvider(config.providers?.[0] ?? null);
  if ('noVerdict' in choice) throw new NoVerdictError(choice.noVerdict);
  const group = await planTrial(request, choice.provider);
  const oneFeed = { ...group, id: `${group.id}/one-feed`, pool: 1 };
  const bench = await workbench.open([group, oneFeed]);
  try {
    const startMs = edges.nowMs();
    const pooled = await measureGroup(group, restarts, request, bench);
    const seconds = Math.round((edges.nowMs() - startMs) / 1000);
    const single = await measureGroup(oneFeed, 1, request, bench);
    return {
      trial: describeTrial(request, pooled, single, { seconds, providerNote: choice.note }),
      clocksUnderLoadMHz: bench.seenClocksMHz(),
    };
  } finally {
    await bench.release();
  }
}

async function planTrial({ modelFile, config }: TrialRequest, provider: string): Promise<CaseGroup> {
  const arm = await readArm(modelFile);
  const plan = planGroups(
    {
      id: config.id,
      path: modelFile,
      base: arm,
      head: arm,
      baseConfig: config,
      headConfig: { ...config, batches: [config.batches?.[0] ?? 1], providers: [provider] },
      comparison: 'paired',
      feedFiles: await readFeedFiles(config.inputs ?? {}, process.cwd()),
      notes: [],
    },
    { defaultProvider: provider, equalArms: 'measure' },
  );
  const [group] = plan.groups;
  if (group) return group;
  throw new NoVerdictError(`how to feed ${config.id} is not known: ${plan.questions.join('; ')}`);
}

type Measured = { readonly base: Measurement; readonly head: Measurement };

function measureGroup(group: CaseGroup, restarts: number, request: TrialRequest, bench: Bench): Promise<Measured> {
  return gateModels(
    {
      groups: [group],
      faults: [],
      config: EMPTY_CONFIG,
      environment: request.machine.environment([group.provider]),
      session: request.session,
      notes: [],
      commits: { base: null, head: null },
      failFast: 'judge-all',
      looks: [restarts],
    },
    { ...request.edges, measurer: bench.measurer },
  );
}

function describeTrial(
  { config, session }: TrialRequest,
  pooled: Measured,
  single: Measured,
  about: { readonly seconds: number; readonly providerNote: string | null },
): DoctorTrial {
  const head = entryIn(pooled.head);
  if (head.fault) throw new NoVerdictError(head.fault.reason);
  const metric = metricFactsOf(METRIC, head);
  const pairing = pairRestarts([{ ...entryIn(pooled.base), session }], [{ ...head, session }]);
  return {
    model: config.id,
    case: head.case.id,
    provider: head.case.provider ?? '',
    ...about,
    mode: pooled.head.mode ?? 'none',
    margin: METRICS.get(METRIC)?.margin.fraction ?? MARGIN,
    agreement: describeAgreement(pairing.pairs, metric, MARGIN),
    invalidRestarts: pairing.total - pairing.pairs.length,
    invalidReasons: pairing.reasons,
    oneFeed: middle([entryIn(single.base), entryIn(single.head)], METRIC),
    floorShare: middle([head], 'floor.share'),
    notes: [...new Set((head.notes ?? []).map(({ text }) => text))],
  };
}

function entryIn(measurement: Measurement): Entry {
  const [entry] = measurement.entries;
  if (entry) return entry;
  throw new NoVerdictError('the trial left no measurement: run doctor again');
}

/** Median over valid restarts; null where none has the metric. */
function middle(entries: readonly Entry[], metric: string): number | null {
  const valid = entries.flatMap(({ restarts }) => restarts.filter((restart) => restart.valid));
  const values = valid.flatMap((restart) => restart.values[metric] ?? []);
  return values.length === 0 ? null : median(values);
}
