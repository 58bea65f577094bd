import { join } from 'node:path';
import type { GateConfig } from '../inputs/gate-config.ts';
import type { MaterialisedArms } from './arm-files.ts';
import { type ArmsContext, materialiseArms } from './arms-edge.ts';
import { shortCommit } from './base.ts';
import type { ChangedModel, NamedModel } from './change-set.ts';
import { compareWith, configAt } from './change-set-edge.ts';
import { compareModel } from './changed-model.ts';
import { indexComparison } from './comparison.ts';
import { openHistory } from './git-history-edge.ts';

export interface AcceptedArm {
  readonly commit: string;
  readonly sha256: string;
}

export type AcceptedArms =
  | {
      readonly kind: 'ready';
      readonly base: NonNullable<Extract<MaterialisedArms, { kind: 'ready' }>['base']>;
      readonly config: NamedModel;
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * An accepted model's bytes and its section of the config, from the commit of its session, to run beside the head
 * that lies in `headFile`. Throws NoVerdictError where git has the commit but not its content.
 */
export async function materialiseAccepted(
  change: ChangedModel,
  accepted: AcceptedArm,
  headFile: string,
  policy: { readonly config: GateConfig; readonly path: string },
  context: ArmsContext,
): Promise<AcceptedArms> {
  const { commit } = accepted;
  const short = shortCommit(commit);
  if (!(await openHistory(context.root).fetchCommit(commit))) return unavailable(`commit ${short} no longer exists`);
  const base = { commit, describe: `${short} (accepted)` };
  const comparison = await compareWith(context.root, base, await configAt(context.root, commit, policy.path));
  const since = compareModel(change.headConfig, indexComparison(comparison, policy.config), () => []);
  if (since.base === null) return unavailable(`commit ${short} does not hold the model`);
  const made = await materialiseArms(
    { ...since, head: { kind: 'file', path: headFile } },
    { ...context, folder: join(context.folder, 'accepted', commit) },
  );
  if (made.kind === 'fault') return unavailable(made.fault.reason);
  if (made.base === null) return unavailable(made.notes[0]?.text ?? `commit ${short} does not hold the model`);
  if (since.base.kind !== 'prepare' && made.base.sha256 !== accepted.sha256)
    return unavailable(`the model of commit ${short} is not the one that was accepted`);
  return { kind: 'ready', base: made.base, config: since.baseConfig };
}

function unavailable(reason: string): AcceptedArms {
  return { kind: 'unavailable', reason };
}
