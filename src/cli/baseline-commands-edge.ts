import { acceptResults } from '../accept-results-edge.ts';
import { listBaselines, showBaseline, verifyBaselines } from '../baseline/baseline-commands.ts';
import { acceptText, listText, pruneText, showText, verifyText } from '../baseline/baseline-report.ts';
import type { BaselineStore } from '../baseline/baseline-store.ts';
import { pruneBaselines } from '../baseline/prune-baselines.ts';
import { openStore, refuseForbiddenWrite } from '../baselines-edge.ts';
import { listWorkTree, repositoryRoot } from '../changes/git-tree-edge.ts';
import { nameModels } from '../changes/name-models.ts';
import { outFolderOf } from '../edges-edge.ts';
import { RefusedError } from '../errors.ts';
import { type BaselineSettings, baselineSettings } from '../inputs/baseline-settings.ts';
import type { GateConfig } from '../inputs/gate-config.ts';
import { localTrigger } from '../inputs/trigger.ts';
import { exitCodeOf } from '../verdict/verdict.ts';
import { readOwnConfig } from './read-files-edge.ts';
import { print } from './terminal-edge.ts';

/** What every `baseline` command takes. */
export interface BaselineOptions {
  readonly store?: BaselineSettings['store'];
  readonly branch?: string;
  readonly config?: string;
  readonly json?: boolean;
}

interface OpenedStore {
  readonly store: BaselineStore;
  readonly root: string;
  readonly settings: BaselineSettings;
  readonly config: GateConfig;
}

/** `baseline list`: every baseline; 0, or the code of a refusal where a file can't be used. */
export async function runBaselineList(options: BaselineOptions): Promise<number> {
  const { store } = await open(options);
  const list = await listBaselines(store);
  show(list, listText(list), options);
  return list.faults.length === 0 ? 0 : exitCodeOf('refused');
}

/** `baseline show MODEL`: one model's baselines in full. */
export async function runBaselineShow(model: string, options: BaselineOptions): Promise<number> {
  const { store } = await open(options);
  const details = await showBaseline(store, model);
  show(details, showText(details), options);
  return 0;
}

/** `baseline verify`: 0 for a sound store, the code of a refusal for a broken file. */
export async function runBaselineVerify(options: BaselineOptions): Promise<number> {
  const { store } = await open(options);
  const result = await verifyBaselines(store);
  show(result, verifyText(result), options);
  return result.faults.length === 0 ? 0 : exitCodeOf('refused');
}

export interface AcceptOptions extends BaselineOptions {
  readonly reason?: string;
  readonly results?: string;
}

/** `baseline accept`: stores what the last run measured. */
export async function runBaselineAccept(options: AcceptOptions): Promise<number> {
  const opened = await open(options);
  await refuseForbiddenWrite('accept', opened, LOCAL);
  const report = await acceptResults(opened.store, {
    results: outFolderOf(options.results, process.env),
    config: opened.config,
    reason: reasonOf(options.reason),
    now: new Date(),
  });
  show(report, acceptText(report), options);
  return 0;
}

export interface PruneOptions extends BaselineOptions {
  /** Milliseconds. */
  readonly olderThan?: number;
  readonly gone?: boolean;
}

/** `baseline prune`: removes baselines that are old, or whose model is gone. */
export async function runBaselinePrune(options: PruneOptions): Promise<number> {
  if (options.olderThan === undefined && !options.gone)
    throw new RefusedError('baseline prune: say what to remove, with --older-than 180d or --gone');
  const opened = await open(options);
  await refuseForbiddenWrite('accept', opened, LOCAL);
  const report = await pruneBaselines(opened.store, {
    nowMs: Date.now(),
    olderThanMs: options.olderThan ?? null,
    models: options.gone ? await presentModels(opened) : null,
  });
  show(report, pruneText(report), options);
  return 0;
}

const LOCAL = localTrigger({ baseRef: null, prNumber: null, launch: false });

/** A reason in words, null for none. @throws RefusedError for an empty one: it would say nothing to those who read it. */
export function reasonOf(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (text.trim() === '') throw new RefusedError('--reason is empty: say why this is accepted');
  return text.trim();
}

async function open({ store, branch, config: path }: BaselineOptions): Promise<OpenedStore> {
  const root = await repositoryRoot(process.cwd());
  const config = await readOwnConfig(root, path ?? null);
  const settings = baselineSettings(config, { store: store ?? null, branch: branch ?? null });
  return { store: await openStore({ root, settings, commit: null, environment: process.env }), root, settings, config };
}

async function presentModels({ root, config }: OpenedStore): Promise<string[]> {
  const { files } = await listWorkTree(
    root,
    (config.models ?? []).flatMap(({ path }) => path ?? []),
  );
  return nameModels(config, files).map((model) => model.id);
}

function show(result: unknown, text: string, { json }: BaselineOptions): void {
  print(json ? JSON.stringify(result) : text);
}
