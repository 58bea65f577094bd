import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { binaryFolder, providerOfLibrary, RUNTIME_PACKAGE, type RuntimePlatform } from './runtime.ts';

/** An onnxruntime-node package on disk. */
export interface RuntimePackage {
  /** The package's own folder, to be loaded from. */
  readonly dir: string;
  readonly version: string;
  /** SHA-256 over names and bytes of its binaries, provider libraries among them. */
  readonly digest: string;
  /** SHA-256 of each provider library beside the engine, by provider name, as `cuda`. */
  readonly libraries: Readonly<Record<string, string>>;
}

/** Version of the package in `dir`; null where there is none that this machine could load. */
export async function versionAt(dir: string, on: RuntimePlatform): Promise<string | null> {
  try {
    const manifest = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'));
    const names = await readdir(binaryFolder(dir, on));
    createRequire(join(dir, 'package.json')).resolve('onnxruntime-common');
    const usable = manifest.name === RUNTIME_PACKAGE && names.includes('onnxruntime_binding.node');
    return usable && typeof manifest.version === 'string' ? manifest.version : null;
  } catch {
    return null;
  }
}

/** Reads and digests the package in `dir`: an engine whose bytes differ is another arm. */
export async function describePackage(dir: string, version: string, on: RuntimePlatform): Promise<RuntimePackage> {
  const folder = binaryFolder(dir, on);
  const names = (await readdir(folder)).toSorted();
  const digests = await Promise.all(names.map(async (name) => [name, await sha256(join(folder, name))] as const));
  const libraries = digests.flatMap(([name, digest]) => {
    const provider = providerOfLibrary(name);
    return provider === null || provider === 'shared' ? [] : [[provider, digest]];
  });
  const lines = digests.map(([name, digest]) => `${name} ${digest}\n`);
  const digest = createHash('sha256').update(lines.join('')).digest('hex');
  return { dir, version, digest, libraries: Object.fromEntries(libraries) };
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 2 ** 20 }), hash);
  return hash.digest('hex');
}
