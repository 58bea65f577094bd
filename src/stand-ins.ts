import type { StoredSession } from './baseline/baseline-schema.ts';
import { type Histories, historyOn, type ModelHistory } from './baseline/model-history.ts';
import type { ChangedModel } from './changes/change-set.ts';
import { whyOtherClasses } from './compare/stored-class.ts';
import type { Baselines, Edges, ReadArms } from './edges.ts';
import type { Environment, Note } from './measure/measurement.ts';
import type { ReadyModel } from './plan/plan-groups.ts';

/** What takes the place of a base that can't be run. */
export interface StandIn {
  readonly arms: ReadArms;
  /** Why head is measured alone; null where an accepted model is run beside it. */
  readonly baseFault: string | null;
  readonly notes: readonly Note[];
}

/** Accepted commits tried before head is measured alone. */
const MOST_TRIED = 3;

/** Histories of models, as a machine of this class sees them. */
export async function readHistories(
  models: readonly string[],
  environmentClass: string,
  baselines: Pick<Baselines, 'read'>,
): Promise<Histories> {
  const found = new Map<string, ModelHistory>();
  for (const model of new Set(models)) found.set(model, historyOn(await baselines.read(model), environmentClass));
  return found;
}

/**
 * What stands in for a base that can't be run for the reason `why`: the accepted model from its commit, unless those
 * are the bytes that fail, else head alone. Null without a reason, or where nothing was ever accepted.
 */
export async function standInFor(
  change: ChangedModel,
  arms: ReadArms,
  why: string | null,
  history: ModelHistory,
  environment: Environment,
  edges: Pick<Edges, 'readArms'> & { readonly baselines: Baselines },
): Promise<StandIn | null> {
  const sessions = newestFirst(history);
  if (why === null || sessions.length === 0) return null;
  const alone = arms.kind === 'ready' ? arms : await edges.readArms({ ...change, base: null });
  if (alone.kind === 'fault') return null;
  for (const session of sessions.slice(0, MOST_TRIED)) {
    const accepted = await edges.baselines.readAccepted(change, alone.model, session);
    if (accepted.kind === 'fault' || accepted.model.base?.sha256 === alone.model.base?.sha256) continue;
    const text = `${change.id}: base can't be run (${why}): head is compared with the model accepted on ${day(session)} (commit ${session.commit?.slice(0, 7)}), which was run beside it`;
    return { arms: accepted, baseFault: null, notes: [{ code: 'accepted-base', text, headline: true }] };
  }
  const elsewhere = history.own === null ? whyOtherClasses(history.others, environment.facts) : null;
  const baseFault = `base can't be run (${why})${elsewhere === null ? '' : `, and ${elsewhere}`}`;
  const text = `${change.id}: ${baseFault}; nor can its accepted model: ${history.own === null ? 'nothing is left to compare with' : 'head is compared with stored sessions'}`;
  return { arms: withoutBase(alone.model), baseFault, notes: [{ code: 'stored-comparison', text, headline: true }] };
}

/** Why the base of a change is not at hand; null where it is. */
export function whyNoBase(change: ChangedModel, arms: ReadArms): string | null {
  if (arms.kind === 'fault') return arms.fault.arm === 'base' ? arms.fault.reason : null;
  if (arms.model.base !== null) return null;
  if (change.base === null) return 'this history holds none';
  return arms.model.notes.find((note) => note.code === 'base-unreadable')?.text ?? 'its bytes are not there';
}

/** Sessions of distinct commits: those of this machine class first, as only their numbers can be compared too. */
function newestFirst({ own, others }: ModelHistory): StoredSession[] {
  const byTime = (sessions: readonly StoredSession[]) =>
    sessions.toSorted((a, b) => Date.parse(b.acceptedAt) - Date.parse(a.acceptedAt));
  const all = [...byTime(own?.sessions ?? []), ...byTime(others.flatMap(({ sessions }) => sessions))];
  return [...new Map(all.toReversed().map((session) => [session.commit, session])).values()].toReversed();
}

function withoutBase(model: ReadyModel): ReadArms {
  return { kind: 'ready', model: { ...model, base: null, builds: null } };
}

function day({ acceptedAt }: StoredSession): string {
  return acceptedAt.slice(0, 10);
}
