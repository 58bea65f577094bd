import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, posix, resolve } from 'node:path';
import { RefusedError } from '../errors.ts';
import { neededBytesByFile } from '../model/external-data.ts';
import { readModelFile } from '../model/model-edge.ts';
import { readModel } from '../model/model-facts.ts';
import { type ArmFault, type ArmFiles, describeBuilds, type MaterialisedArms } from './arm-files.ts';
import { shortCommit } from './base.ts';
import type { ArmSource, ChangedModel, ChangeNote } from './change-set.ts';
import type { Checkouts } from './checkouts-edge.ts';
import { writeFileOf } from './git-tree-edge.ts';
import { fillCommand } from './prepare-command.ts';
import { runPrepare } from './prepare-edge.ts';

export interface ArmsContext {
  readonly root: string;
  /** Existing folder for base's files, builds and logs. */
  readonly folder: string;
  readonly headCommit: string | null;
  readonly checkouts: Checkouts;
  readonly prepareTimeoutMs: number;
  readonly signal?: AbortSignal;
}

type Arm = 'base' | 'head';
type Made = { readonly files: ArmFiles } | { readonly fault: ArmFault } | { readonly note: ChangeNote };

/**
 * Both arms of a changed model as files: base from git or its own build, head from the work tree or its own build.
 * @throws RefusedError for a head model that can't be read, NoVerdictError where base's content can't be had.
 */
export async function materialiseArms(model: ChangedModel, context: ArmsContext): Promise<MaterialisedArms> {
  const base = model.base ? await makeArm(model, model.base, 'base', 1, context) : null;
  if (base && 'fault' in base) return { kind: 'fault', fault: base.fault };
  const head = await makeArm(model, model.head, 'head', 1, context);
  if ('fault' in head) return { kind: 'fault', fault: head.fault };
  if ('note' in head) throw new RefusedError(head.note.text);
  if (!base || 'note' in base)
    return { kind: 'ready', base: null, head: head.files, builds: null, notes: base ? [base.note] : [] };
  const ready = { kind: 'ready', base: base.files, head: head.files, builds: null, notes: [] } as const;
  const areBuilt = model.base?.kind === 'prepare' && model.head.kind === 'prepare';
  const mayDiffer = areBuilt && model.headConfig['timing-cache'] === undefined;
  return mayDiffer && base.files.sha256 !== head.files.sha256 ? repeatBuilds(model, ready, context) : ready;
}

/** Builds base again; where its bytes differ, builds both arms as often as the config asks. */
async function repeatBuilds(
  model: ChangedModel,
  first: Extract<MaterialisedArms, { kind: 'ready' }>,
  context: ArmsContext,
): Promise<MaterialisedArms> {
  const arms = { base: [first.base as ArmFiles], head: [first.head] };
  const add = async (arm: Arm): Promise<ArmFault | null> => {
    const made = await makeArm(model, model[arm] as ArmSource, arm, arms[arm].length + 1, context);
    if ('files' in made) arms[arm].push(made.files);
    return 'fault' in made ? made.fault : null;
  };
  let fault = await add('base');
  if (!fault && arms.base[0]?.sha256 === arms.base[1]?.sha256) return first;
  const wanted = model.headConfig.builds ?? 1;
  for (const arm of ['base', 'head'] as const) while (!fault && arms[arm].length < wanted) fault = await add(arm);
  if (fault) return { kind: 'fault', fault };
  return { ...first, builds: arms, notes: describeBuilds(model.id, arms) };
}

async function makeArm(
  model: ChangedModel,
  source: ArmSource,
  arm: Arm,
  build: number,
  context: ArmsContext,
): Promise<Made> {
  switch (source.kind) {
    case 'work-tree':
      return { files: await readArm(join(context.root, source.path), source.path, context.headCommit) };
    case 'file':
      return { files: await readArm(resolve(context.root, source.path), source.path, null) };
    case 'commit':
      return fromCommit(source, join(context.folder, model.id, arm), context);
    case 'prepare':
      return fromPrepare(model.id, source, join(context.folder, model.id, `${arm}-build-${build}`), context);
  }
}

async function readArm(modelFile: string, name: string, commit: string | null): Promise<ArmFiles> {
  return { commit, modelFile, ...(await readModelFile(modelFile, name)) };
}

/** A model of a commit that is none, or lacks its data, never ran: head's is new then, and the report says so. */
async function fromCommit(
  source: Extract<ArmSource, { kind: 'commit' }>,
  folder: string,
  { root }: ArmsContext,
): Promise<Made> {
  const { commit, path } = source;
  const name = `${shortCommit(commit)}:${path}`;
  const modelFile = join(folder, posix.basename(path));
  await mkdir(folder, { recursive: true });
  try {
    if (!(await writeFileOf(root, commit, path, modelFile))) throw new RefusedError(`${name} is no file`);
    const facts = readModel(await readFile(modelFile), name);
    for (const location of neededBytesByFile(facts.externalData).keys()) {
      const file = join(folder, location);
      if (file === modelFile) continue;
      await mkdir(dirname(file), { recursive: true });
      await writeFileOf(root, commit, posix.join(posix.dirname(path), location), file);
    }
    return { files: await readArm(modelFile, name, commit) };
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown;
    return { note: { code: 'base-unreadable', text: `Nothing to compare with: ${thrown.message}`, headline: true } };
  }
}

/** Builds a model in its arm's own checkout; a failure is a fault with the end of the log. */
async function fromPrepare(
  id: string,
  source: Extract<ArmSource, { kind: 'prepare' }>,
  folder: string,
  context: ArmsContext,
): Promise<Made> {
  const where = source.commit === null ? 'head' : `base (${shortCommit(source.commit)})`;
  const output = join(folder, 'model.onnx');
  await mkdir(folder, { recursive: true });
  const command = fillCommand(source.command, output, source.path);
  const checkout = source.commit === null ? context.root : await context.checkouts.clean(source.commit);
  const logFile = `${folder}.log`;
  const { prepareTimeoutMs: timeoutMs, signal } = context;
  const { failure, logTail } = await runPrepare({ command, checkout, logFile, timeoutMs, signal });
  const fault = (what: string): Made => ({
    fault: {
      kind: 'not-measured',
      arm: source.commit === null ? 'head' : 'base',
      reason: `\`prepare\` of ${id} in ${where} ${what}`,
      stderrTail: logTail,
    },
  });
  if (failure !== null) return fault(failure);
  if (!(await stat(output).catch(() => null))?.isFile()) return fault('wrote no file to {output}');
  try {
    const commit = source.commit ?? context.headCommit;
    return { files: await readArm(output, `${id} as built in ${where}`, commit) };
  } catch (thrown) {
    if (!(thrown instanceof RefusedError)) throw thrown;
    return fault(`wrote no readable model: ${thrown.message}`);
  }
}
