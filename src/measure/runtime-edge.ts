import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { NoVerdictError, RefusedError } from '../errors.ts';
import {
  cacheFolder,
  RUNTIME_PACKAGE,
  type RuntimeFlavour,
  type RuntimePlatform,
  readPinnedVersion,
} from './runtime.ts';
import { DESCRIPTION, install } from './runtime-install-edge.ts';
import { describePackage, type RuntimePackage, versionAt } from './runtime-package-edge.ts';

export interface RuntimeRequest {
  /** Input `onnxruntime-path`: the package's folder or one that holds `node_modules`; null where not set. */
  readonly onnxruntimePath: string | null;
  /** Folder of the action or package, which may have `node_modules` (development, tests, npm installs). */
  readonly actionDir: string;
  /** Folder of the lockfile that pins the engine: `dist/runtime`. */
  readonly lockDir: string;
  readonly toolCache: string;
  /** Input `install-cuda`: the CUDA provider libraries may be downloaded. */
  readonly installCuda: boolean;
  readonly env: NodeJS.ProcessEnv;
  /** Called before something is downloaded. */
  readonly onInstall?: (message: string) => void;
  readonly execPath?: string;
}

/** Where the engine came from, besides what it is. */
export interface ResolvedRuntime extends RuntimePackage {
  readonly source: 'onnxruntime-path' | 'node_modules' | 'tool-cache' | 'npm';
}

const HERE: RuntimePlatform = { platform: process.platform, arch: process.arch };
const descriptionSchema = z.object({ digest: z.string(), libraries: z.record(z.string(), z.string()) });

/**
 * Finds the engine: `onnxruntime-path`, `node_modules` beside the action, the tool cache, else npm from the lockfile.
 * Throws RefusedError for a wrong path, NoVerdictError where it can be neither found nor installed; one line each.
 */
export async function resolveRuntime(request: RuntimeRequest): Promise<ResolvedRuntime> {
  if (request.onnxruntimePath !== null) return await atPath(request.onnxruntimePath);
  const flavour: RuntimeFlavour = request.installCuda ? 'cuda' : 'plain';
  const lockText = await readFile(join(request.lockDir, 'package-lock.json'), 'utf8').catch(() => '');
  const version = readPinnedVersion(lockText);
  if (version === null)
    throw new NoVerdictError(
      `${request.lockDir} holds no lockfile that pins ${RUNTIME_PACKAGE}: the action's dist folder is incomplete`,
    );
  const beside = join(request.actionDir, 'node_modules', RUNTIME_PACKAGE);
  if ((await versionAt(beside, HERE)) === version) {
    const found = await describePackage(beside, version, HERE);
    if (flavour === 'plain' || 'cuda' in found.libraries) return { ...found, source: 'node_modules' };
  }
  const target = cacheFolder(request.toolCache, version, lockText, flavour, HERE);
  const cached = await readCached(target, version);
  if (cached !== null) return { ...cached, source: 'tool-cache' };
  request.onInstall?.(
    `installing ${RUNTIME_PACKAGE} ${version}${flavour === 'cuda' ? ' with CUDA provider libraries' : ''} into ${target}`,
  );
  const { lockDir, env, execPath = process.execPath } = request;
  await install({ target, lockDir, version, flavour, on: HERE, execPath, env });
  const installed = await readCached(target, version);
  if (installed === null)
    throw new NoVerdictError(`${target} is not a usable ${RUNTIME_PACKAGE} ${version}: remove it and run again`);
  return { ...installed, source: 'npm' };
}

async function atPath(path: string): Promise<ResolvedRuntime> {
  const folder = resolve(path);
  for (const dir of [folder, join(folder, 'node_modules', RUNTIME_PACKAGE)]) {
    const version = await versionAt(dir, HERE);
    if (version !== null) return { ...(await describePackage(dir, version, HERE)), source: 'onnxruntime-path' };
  }
  throw new RefusedError(
    `onnxruntime-path ${path} holds no ${RUNTIME_PACKAGE} for ${HERE.platform}/${HERE.arch} with its dependencies: name the folder in which "npm install ${RUNTIME_PACKAGE}" was run`,
  );
}

async function readCached(target: string, version: string): Promise<RuntimePackage | null> {
  const text = await readFile(join(target, DESCRIPTION), 'utf8').catch(() => null);
  if (text === null) return null;
  const dir = join(target, 'node_modules', RUNTIME_PACKAGE);
  const description = descriptionSchema.safeParse(JSON.parse(text));
  return description.success && (await versionAt(dir, HERE)) === version ? { dir, version, ...description.data } : null;
}
