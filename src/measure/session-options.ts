import type { SessionOptions } from '../inputs/gate-config.ts';

/** What the machine adds to an arm's own options. */
export interface EngineSettings {
  readonly provider: string;
  readonly threads: number;
  /** `off` only where granted cores are shared and the config says nothing. */
  readonly spinning: 'engine-default' | 'off';
  /** Prefix of the profile's file; null in every timed session. */
  readonly profilePrefix: string | null;
}

/** Errors only: warnings of a large model would fill the pipe while it is timed. */
const LOG_ERRORS = 3;

/**
 * Options in onnxruntime-node's own form, JSON only. One provider is asked for, never a list: an unknown name
 * beside `cpu` would be dropped silently. `freeDimensionOverrides` does nothing in this binding: feeds set shapes.
 */
export function engineOptions(session: SessionOptions, settings: EngineSettings): Record<string, unknown> {
  const spinning = session.spinning ?? (settings.spinning === 'off' ? false : undefined);
  const config = {
    ...(spinning === undefined ? {} : { 'session.intra_op.allow_spinning': spinning ? '1' : '0' }),
    ...session.config,
  };
  return {
    executionProviders: [providerEntry(settings.provider, session['device-id'])],
    intraOpNumThreads: session.threads ?? settings.threads,
    logSeverityLevel: LOG_ERRORS,
    ...optional('graphOptimizationLevel', session['graph-optimization']),
    ...optional('interOpNumThreads', session['inter-op-threads']),
    ...optional('executionMode', session['execution-mode']),
    ...optional('enableCpuMemArena', session['memory-arena']),
    ...optional('enableMemPattern', session['memory-pattern']),
    ...(Object.keys(config).length === 0 ? {} : { extra: config }),
    ...(settings.profilePrefix === null ? {} : { enableProfiling: true, profileFilePrefix: settings.profilePrefix }),
  };
}

/** Whether idle threads of this arm burn CPU for a while after a run, so that the other arm must wait. */
export function leavesThreadsSpinning(session: SessionOptions, settings: EngineSettings): boolean {
  const threads = session.threads ?? settings.threads;
  const config = session.config?.['session.intra_op.allow_spinning'];
  const isOn = config !== undefined ? config !== '0' : (session.spinning ?? settings.spinning !== 'off');
  return threads > 1 && isOn;
}

function providerEntry(provider: string, deviceId: number | undefined): unknown {
  return deviceId === undefined ? provider : { name: provider, deviceId };
}

function optional(name: string, value: unknown): Record<string, unknown> {
  return value === undefined ? {} : { [name]: value };
}
