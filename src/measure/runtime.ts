import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';

/** The npm package of the engine. */
export const RUNTIME_PACKAGE = 'onnxruntime-node';

/** Which machine the engine's binaries are for. */
export interface RuntimePlatform {
  readonly platform: string;
  readonly arch: string;
}

const lockSchema = z.object({
  packages: z.object({
    [`node_modules/${RUNTIME_PACKAGE}`]: z.object({ version: z.string(), integrity: z.string().optional() }),
  }),
});

/** Version of the engine that a package-lock.json pins; null where the text is no such lockfile. */
export function readPinnedVersion(lockText: string): string | null {
  const lock = lockSchema.safeParse(parseJson(lockText));
  return lock.success ? (lock.data.packages[`node_modules/${RUNTIME_PACKAGE}`]?.version ?? null) : null;
}

/** Where an installation lies in the tool cache; another lockfile, machine or flavour never shares it. */
export function cacheFolder(
  toolCache: string,
  version: string,
  lockText: string,
  flavour: RuntimeFlavour,
  on: RuntimePlatform,
): string {
  const lockDigest = createHash('sha256').update(lockText).digest('hex').slice(0, 8);
  return join(
    toolCache,
    'model-gate-runtime',
    `${version}-${lockDigest}-${on.platform}-${on.arch}${flavour === 'cuda' ? '-cuda' : ''}`,
  );
}

/** `cuda` has the CUDA and TensorRT provider libraries beside the engine. */
export type RuntimeFlavour = 'plain' | 'cuda';

/** Folder of the engine's binaries inside its package. */
export function binaryFolder(packageDir: string, { platform, arch }: RuntimePlatform): string {
  return join(packageDir, 'bin', 'napi-v6', platform, arch);
}

/** Name of a provider whose library this file is: `cuda` of `libonnxruntime_providers_cuda.so`; null for others. */
export function providerOfLibrary(file: string): string | null {
  return /^(?:lib)?onnxruntime_providers_([a-z0-9]+)\.(?:so|dll|dylib)$/.exec(file)?.[1] ?? null;
}

/** Default tool cache outside GitHub: the user's cache folder. */
export function defaultToolCache(environment: Readonly<Record<string, string | undefined>>, homeDir: string): string {
  return (
    environment['RUNNER_TOOL_CACHE'] || join(environment['XDG_CACHE_HOME'] || join(homeDir, '.cache'), 'model-gate')
  );
}

const NPM_REASONS: readonly (readonly [RegExp, string])[] = [
  [
    /\bENOTCACHED\b|\bENOTFOUND\b|\bEAI_AGAIN\b|\bECONNREFUSED\b|\bECONNRESET\b|\bETIMEDOUT\b|\bENETUNREACH\b|ERR_SOCKET_TIMEOUT/,
    'the npm registry cannot be reached from this runner',
  ],
  [/\bEINTEGRITY\b/, 'the registry served other bytes than the lockfile pins'],
  [/\bE401\b|\bE403\b|\bENEEDAUTH\b/, 'the npm registry refused access: check the npm settings of this runner'],
  [/\bE404\b|\bETARGET\b/, 'the npm registry of this runner does not have it'],
  [/\bENOSPC\b/, 'the disk is full'],
  [/\bEROFS\b|\bEACCES\b|\bEPERM\b/, 'npm may not write'],
];

/** One line on a failed `npm ci`, with the way out. */
export function describeNpmFailure(version: string, printed: string): string {
  const known = NPM_REASONS.find(([pattern]) => pattern.test(printed))?.[1];
  const line = printed.split(/\r?\n/).find((text) => /npm (?:error|ERR!)/.test(text));
  const reason = known ?? line?.replace(/^npm (?:error|ERR!)\s*/, '').slice(0, 200) ?? 'npm gave no reason';
  return `${RUNTIME_PACKAGE} ${version} could not be installed: ${reason} (or set onnxruntime-path to an installed copy)`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
