import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NoVerdictError } from '../errors.ts';
import { describeNpmFailure, RUNTIME_PACKAGE, type RuntimeFlavour, type RuntimePlatform } from './runtime.ts';
import { findNpm, run } from './runtime-npm-edge.ts';
import { describePackage, versionAt } from './runtime-package-edge.ts';

export interface Installation {
  /** Where the finished installation is to lie. */
  readonly target: string;
  /** Folder of package.json and package-lock.json. */
  readonly lockDir: string;
  readonly version: string;
  readonly flavour: RuntimeFlavour;
  readonly on: RuntimePlatform;
  readonly execPath: string;
  readonly env: NodeJS.ProcessEnv;
}

/** The file that tells what is installed; written before the rename, so a folder in place is complete. */
export const DESCRIPTION = 'runtime.json';

const NPM_LIMIT_MS = 10 * 60_000;
const ABANDONED_MS = 60 * 60_000;
const CI = [
  'ci',
  '--ignore-scripts',
  '--omit=dev',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--no-update-notifier',
];

/**
 * Installs from the lockfile into a staging folder beside `target` and renames it: jobs that race end with one whole
 * installation, and a killed one leaves none. Throws NoVerdictError with one line.
 */
export async function install(job: Installation): Promise<void> {
  const npm = await findNpm(job.execPath, job.env['PATH'] ?? '');
  if (npm === null) {
    throw new NoVerdictError(
      `${RUNTIME_PACKAGE} ${job.version} is not installed and no npm was found beside ${job.execPath} or on PATH: install npm or set onnxruntime-path`,
    );
  }
  const staging = await makeStaging(job.target);
  try {
    for (const name of ['package.json', 'package-lock.json'])
      await copyFile(join(job.lockDir, name), join(staging, name));
    const ended = await run([...npm, ...CI, '--prefix', staging], staging, job.env, NPM_LIMIT_MS);
    if (ended.code !== 0) throw new NoVerdictError(describeNpmFailure(job.version, ended.printed));
    const dir = join(staging, 'node_modules', RUNTIME_PACKAGE);
    if (job.flavour === 'cuda') await installCuda(job, dir);
    await dropOtherPlatforms(dir, job.on);
    if ((await versionAt(dir, job.on)) !== job.version) {
      throw new NoVerdictError(
        `${RUNTIME_PACKAGE} ${job.version} has no build for ${job.on.platform}/${job.on.arch}: use another runner or set onnxruntime-path`,
      );
    }
    const { digest, libraries } = await describePackage(dir, job.version, job.on);
    await writeFile(join(staging, DESCRIPTION), JSON.stringify({ digest, libraries }));
    await rename(staging, job.target).catch(async (thrown) => {
      // Another job was first: its installation is as good as ours.
      if (!(await stat(job.target).catch(() => null))) throw thrown;
    });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function makeStaging(target: string): Promise<string> {
  const parent = dirname(target);
  const staging = join(parent, `.staging-${basename(target)}-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(staging, { recursive: true });
  } catch (thrown) {
    throw new NoVerdictError(
      `${RUNTIME_PACKAGE} cannot be installed: the tool cache ${parent} cannot be written (${Object(thrown).code}); set onnxruntime-path to an installed copy`,
    );
  }
  await removeAbandoned(parent);
  return staging;
}

/** Staging folders of killed jobs are 300 MB each. */
async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith('.staging-')) continue;
    const age = await stat(join(parent, name)).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (age > ABANDONED_MS) await rm(join(parent, name), { recursive: true, force: true });
  }
}

/** The engine's own installer, asked for explicitly: it fetches the provider libraries, which npm cannot carry. */
async function installCuda(job: Installation, dir: string): Promise<void> {
  const script = join(dir, 'script', 'install.js');
  const ended = await run([job.execPath, script, '--onnxruntime-node-install'], dir, job.env, NPM_LIMIT_MS);
  const { libraries } = ended.code === 0 ? await describePackage(dir, job.version, job.on) : { libraries: {} };
  if ('cuda' in libraries) return;
  const reason =
    ended.printed.split(/\r?\n/).findLast((line) => /error|ENOTFOUND|ECONN|failed/i.test(line)) ?? 'it gave no reason';
  throw new NoVerdictError(
    `install-cuda: the CUDA provider libraries could not be fetched (${reason.trim().slice(0, 200)}); put them beside the engine and set onnxruntime-path`,
  );
}

async function dropOtherPlatforms(dir: string, { platform, arch }: RuntimePlatform): Promise<void> {
  const root = join(dir, 'bin', 'napi-v6');
  const drop = async (folder: string, keep: string): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name !== keep) await rm(join(folder, name), { recursive: true, force: true });
    }
  };
  await drop(root, platform);
  await drop(join(root, platform), arch);
}
