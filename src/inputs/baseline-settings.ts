import type { GateConfig } from './gate-config.ts';

export const DEFAULT_BASELINE_BRANCH = 'model-gate-baselines';

/** Which store holds the baselines. */
export interface BaselineSettings {
  readonly store: 'directory' | 'branch';
  readonly branch: string;
}

/** What a person or workflow asks for; null leaves it to the config. */
export interface AskedStore {
  readonly store: BaselineSettings['store'] | null;
  readonly branch: string | null;
}

/** Asked settings, then the config's, then the defaults. */
export function baselineSettings(config: GateConfig, asked: AskedStore): BaselineSettings {
  return {
    store: asked.store ?? config.baseline?.store ?? 'directory',
    branch: asked.branch ?? config.baseline?.branch ?? DEFAULT_BASELINE_BRANCH,
  };
}
