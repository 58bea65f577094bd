import { randomUUID } from 'node:crypto';
import { relative, resolve } from 'node:path';
import { NoVerdictError } from '../errors.ts';
import { gateModels } from '../gate-models.ts';
import type { ModelConfig, SessionOptions } from '../inputs/gate-config.ts';
import { readFeedFiles } from '../measure/feed-files-edge.ts';
import { planGroups } from '../plan/plan-groups.ts';
import { measurementToJson } from '../run-gate.ts';
import { judge } from '../verdict/judge.ts';
import { exitCodeOf } from '../verdict/verdict.ts';
import { VERSION } from '../version.ts';
import { configFor, configOf, readArm } from './local-model-edge.ts';
import { openLocalWorkbench, stopSignal } from './local-workbench-edge.ts';
import { readOwnConfig, readSessionOptions } from './read-files-edge.ts';
import { type ShowOptions, saveFiles, showVerdict } from './show-verdict-edge.ts';
import { createProgress } from './terminal-edge.ts';

export interface MeasureOptions extends ShowOptions {
  readonly against?: string;
  readonly baseRuntime?: string;
  readonly baseOptions?: string;
  readonly provider?: string;
  readonly batch?: readonly number[];
  readonly restarts?: number;
  readonly config?: string;
}

/** `measure`: one model, or two as a duet. Returns 0 or 2: a difference is an answer here, not a failure. */
export async function runMeasureCommand(model: string, options: MeasureOptions): Promise<number> {
  const signal = stopSignal();
  const session = randomUUID();
  const progress = createProgress();
  const own = await readOwnConfig(process.cwd(), options.config ?? null);
  const modelConfig = configOf(own, relative(process.cwd(), resolve(model)), options);
  const workbench = openLocalWorkbench({ session, signal, onProgress: progress.step });
  const machine = await workbench.inspect([modelConfig]);
  const choice = machine.chooseProvider(modelConfig.providers?.[0] ?? null);
  if ('noVerdict' in choice) throw new NoVerdictError(choice.noVerdict);
  const { provider, note } = choice;
  await workbench.tryProvider(provider, modelConfig.session ?? {});
  const baseFile = options.against ?? (options.baseRuntime || options.baseOptions ? model : undefined);
  const plan = planGroups(
    {
      id: modelConfig.id,
      path: model,
      base: baseFile === undefined ? null : await readArm(baseFile),
      head: await readArm(model),
      baseConfig: { ...modelConfig, ...(await baseArm(options)) },
      headConfig: modelConfig,
      comparison: 'paired',
      feedFiles: await readFeedFiles(modelConfig.inputs ?? {}, process.cwd()),
      notes: [],
    },
    { defaultProvider: provider, equalArms: 'measure' },
  );
  if (plan.questions.length > 0)
    throw new NoVerdictError(`how to feed the model is not known: ${plan.questions.join('; ')}`);
  const measured = plan.groups.flatMap((group) => group.cases.map(({ id }) => id));
  const config = configFor(own, modelConfig, measured);
  const { release, ...bench } = await workbench.open(plan.groups);
  try {
    const found = await gateModels(
      {
        groups: plan.groups,
        faults: [],
        config,
        environment: machine.environment([provider]),
        session,
        notes: note === null ? [] : [{ code: 'provider-default', text: note }],
        commits: { base: null, head: null },
        failFast: 'judge-all',
        ...(options.restarts === undefined ? {} : { looks: [options.restarts] }),
      },
      { ...bench, nowMs: () => Date.now(), toolVersion: VERSION, signal, progress },
    );
    progress.end();
    const base = baseFile === undefined ? null : found.base;
    if (options.out !== undefined)
      await saveFiles(options.out, {
        ...(base ? { 'base.measurement.json': measurementToJson(base) } : {}),
        'head.measurement.json': measurementToJson(found.head),
      });
    const today = new Date().toISOString().slice(0, 10);
    const verdict = judge({ base, head: found.head, config, today });
    await showVerdict(verdict, options, { modelPaths: { [modelConfig.id]: model } });
    return verdict.outcome === 'no-verdict' ? exitCodeOf('no-verdict') : 0;
  } finally {
    progress.end();
    await release();
  }
}

/** What makes base's arm another one than head's: its runtime and its session options. */
async function baseArm(options: MeasureOptions): Promise<{ session?: SessionOptions; arms?: ModelConfig['arms'] }> {
  return {
    ...(options.baseOptions === undefined ? {} : { session: await readSessionOptions(options.baseOptions) }),
    ...(options.baseRuntime === undefined ? {} : { arms: { base: { runtime: resolve(options.baseRuntime) } } }),
  };
}
