import { readFile, realpath } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { RefusedError } from '../errors.ts';
import { parseGateConfig } from '../inputs/config-file.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import { quoteName } from '../inputs/suggestion.ts';
import type { Trigger } from '../inputs/trigger.ts';
import { readModel } from '../model/model-facts.ts';
import { type History, resolveBase, shortCommit } from './base.ts';
import type { BaseRevision, ChangeSet } from './change-set.ts';
import type { ExternalFiles } from './changed-model.ts';
import type { Comparison } from './comparison.ts';
import { detectChanges } from './detect-changes.ts';
import { externalCandidates, externalPath } from './external-candidates.ts';
import { touchedPaths } from './file-change.ts';
import { openHistory } from './git-history-edge.ts';
import { listChanges, listCommit, listWorkTree, readHead, readText, repositoryRoot } from './git-tree-edge.ts';
import { nameModels } from './name-models.ts';
import { readPolicies } from './policies.ts';

export interface ChangeRequest {
  /** A folder inside the work tree. */
  readonly folder: string;
  readonly trigger: Trigger;
  /** The config's file, relative to `folder` or absolute; `isAsked`: a person named it, so it must exist. */
  readonly config: { readonly path: string; readonly isAsked: boolean };
  /** Ids or globs that narrow what is gated. */
  readonly filter: readonly string[];
  /** Commits of the accepted sessions: the newest of all, and the newest of each model by its id. */
  readonly accepted: { readonly newest: string | null; readonly byModel: ReadonlyMap<string, string> };
}

/**
 * What a change touches, read from git and the work tree.
 * @throws RefusedError for a faulty config or name, NoVerdictError where git can't say.
 */
export async function readChangeSet(request: ChangeRequest): Promise<ChangeSet> {
  const { trigger, accepted } = request;
  const root = await repositoryRoot(request.folder);
  const revision = await readHead(root);
  const history = openHistory(root);
  const resolved = await resolveBase(trigger, revision.commit, accepted.newest, history);
  const config = await readConfigs(root, request, resolved.base);
  const policies = readPolicies(config, trigger.policySource);
  const named = (policies.inForce.models ?? []).flatMap(({ path }) => path ?? []);
  const comparison = resolved.base && (await compareWith(root, resolved.base, policies.base));
  const { files, ignored } = await listWorkTree(root, named);
  const isAccepted = trigger.baseSource.kind === 'accepted';
  const own = isAccepted
    ? await ownComparisons(root, revision.commit, request, config.fileName, comparison, history)
    : [];
  const ownByModel = new Map(own);
  const touched = [comparison, ...ownByModel.values()].flatMap((each) => each?.changes ?? []).flatMap(touchedPaths);
  const models = nameModels(policies.inForce, files);
  const set = detectChanges({
    head: { revision, files, ignored },
    policies,
    configPath: config.fileName,
    comparison,
    ownComparisons: ownByModel,
    externalFiles: await readExternals(root, externalCandidates(models, new Set(touched))),
    selection: { models: trigger.isLaunch ? 'all' : 'changed', filter: request.filter },
  });
  return { ...set, notes: [...resolved.notes, ...set.notes] };
}

/** Path of the config in the repository; begins with `../` outside of it. */
export async function configFileName(root: string, folder: string, path: string): Promise<string> {
  return relative(root, resolve(await realpath(folder), path))
    .split(sep)
    .join('/');
}

/** The config on both sides; a config outside the repository has no history, so it is the same on both. */
async function readConfigs(root: string, { folder, config }: ChangeRequest, base: BaseRevision | null) {
  const path = resolve(await realpath(folder), config.path);
  const fileName = await configFileName(root, folder, config.path);
  const head = await readFile(path, 'utf8').catch(() => null);
  if (head === null && config.isAsked)
    throw new RefusedError(`the config ${quoteName(config.path)} does not exist: correct the path`);
  const isOutside = fileName.startsWith('../');
  const before = base && !isOutside ? await readText(root, base.commit, fileName) : null;
  return { head, base: isOutside || !base ? head : before, fileName };
}

/** What differs between a commit and the work tree; `config` is the commit's own. */
export async function compareWith(root: string, base: BaseRevision, config: GateConfig | null): Promise<Comparison> {
  const [files, changes] = await Promise.all([listCommit(root, base.commit), listChanges(root, base.commit)]);
  return { base, files, config, changes };
}

/** Bases of models whose own accepted session is not the newest one: between the two they may have been refused. */
async function ownComparisons(
  root: string,
  head: string,
  { accepted }: ChangeRequest,
  configPath: string,
  usual: Comparison | null,
  history: History,
): Promise<[string, Comparison][]> {
  const byCommit = new Map<string, Comparison | null>(usual ? [[usual.base.commit, usual]] : []);
  const found: [string, Comparison][] = [];
  for (const [id, commit] of accepted.byModel) {
    if (!byCommit.has(commit)) {
      const isAncestor = (await history.fetchCommit(commit)) && (await history.mergeBase(commit, head)) === commit;
      const base = { commit, describe: `${shortCommit(commit)} (newest accepted session of ${id})` };
      const config = isAncestor ? await configAt(root, commit, configPath) : null;
      byCommit.set(commit, isAncestor ? await compareWith(root, base, config) : null);
    }
    const comparison = byCommit.get(commit);
    if (comparison && comparison !== usual) found.push([id, comparison]);
  }
  return found;
}

/** The config of a commit; null where it has none or a faulty one. */
export async function configAt(root: string, commit: string, path: string): Promise<GateConfig | null> {
  const text = await readText(root, commit, path);
  try {
    return text === null ? null : parseGateConfig(text, path);
  } catch (thrown) {
    if (thrown instanceof RefusedError) return null;
    throw thrown;
  }
}

/** External data of the models that need a look; a model that can't be read is taken to own what changed beside it. */
async function readExternals(root: string, candidates: ReadonlyMap<string, readonly string[]>): Promise<ExternalFiles> {
  const found = new Map<string, readonly string[]>();
  for (const [path, changed] of candidates) {
    const bytes = await readFile(join(root, path)).catch(() => null);
    found.set(path, bytes === null ? changed : locationsOf(bytes, path, changed));
  }
  return (path) => found.get(path) ?? [];
}

function locationsOf(bytes: Uint8Array, path: string, otherwise: readonly string[]): readonly string[] {
  try {
    return readModel(bytes, path).externalData.map(({ location }) => externalPath(path, location));
  } catch (thrown) {
    if (thrown instanceof RefusedError) return otherwise;
    throw thrown;
  }
}
