import { resolve } from 'node:path';
import { acceptResults } from '../accept-results-edge.ts';
import { acceptText } from '../baseline/baseline-report.ts';
import { openStore, refuseForbiddenWrite } from '../baselines-edge.ts';
import { repositoryRoot } from '../changes/git-tree-edge.ts';
import { readOwnConfig } from '../cli/read-files-edge.ts';
import type { ActionInputs } from '../inputs/action-inputs.ts';
import { baselineSettings } from '../inputs/baseline-settings.ts';
import { logText } from '../publish/step-edge.ts';
import { gitEnvironment } from './git-environment-edge.ts';
import type { StepContext } from './step-context-edge.ts';

/** `accept-baseline`: stores what the run in the results folder measured, with the reason where one is given. */
export async function runAcceptStep(inputs: ActionInputs, { trigger }: StepContext): Promise<number> {
  const workspace = process.env['GITHUB_WORKSPACE'] ?? process.cwd();
  const root = await repositoryRoot(workspace);
  const config = await readOwnConfig(workspace, inputs.config && resolve(workspace, inputs.config));
  const settings = baselineSettings(config, { store: inputs['baseline-store'], branch: inputs['baseline-branch'] });
  await refuseForbiddenWrite('accept', { root, settings }, trigger);
  const environment = await gitEnvironment(root, inputs['github-token'], process.env);
  const store = await openStore({ root, settings, commit: null, environment });
  const results = resolve(workspace, inputs.results);
  logText(acceptText(await acceptResults(store, { results, config, reason: inputs.reason, now: new Date() })));
  return 0;
}
