import { describe, expect, it } from '@jest/globals';
import {
  cacheFolder,
  defaultToolCache,
  describeNpmFailure,
  providerOfLibrary,
  readPinnedVersion,
} from '../../src/measure/runtime.ts';

const LOCK = '{"packages":{"node_modules/onnxruntime-node":{"version":"1.30.0"}}}';
const HERE = { platform: 'linux', arch: 'x64' };

describe('pinned version', () => {
  it.each([
    [LOCK, '1.30.0'],
    ['{"packages":{}}', null],
    ['', null],
    ['not json', null],
  ])('of %j is %j', (text, version) => {
    expect(readPinnedVersion(text)).toBe(version);
  });
});

describe('folder in the tool cache', () => {
  it('differs by lockfile, machine and flavour', () => {
    const folders = [
      cacheFolder('/t', '1.30.0', LOCK, 'plain', HERE),
      cacheFolder('/t', '1.30.0', `${LOCK} `, 'plain', HERE),
      cacheFolder('/t', '1.30.0', LOCK, 'cuda', HERE),
      cacheFolder('/t', '1.30.0', LOCK, 'plain', { platform: 'linux', arch: 'arm64' }),
    ];
    expect(new Set(folders).size).toBe(4);
    expect(folders[0]).toMatch(/^\/t\/model-gate-runtime\/1\.30\.0-[0-9a-f]{8}-linux-x64$/);
  });

  it.each([
    [{ RUNNER_TOOL_CACHE: '/opt/hostedtoolcache' }, '/opt/hostedtoolcache'],
    [{ XDG_CACHE_HOME: '/cache' }, '/cache/model-gate'],
    [{}, '/home/me/.cache/model-gate'],
    [{ RUNNER_TOOL_CACHE: '' }, '/home/me/.cache/model-gate'],
  ])('lies by %j under %s', (environment, folder) => {
    expect(defaultToolCache(environment, '/home/me')).toBe(folder);
  });
});

describe('provider libraries', () => {
  it.each([
    ['libonnxruntime_providers_cuda.so', 'cuda'],
    ['libonnxruntime_providers_tensorrt.so', 'tensorrt'],
    ['onnxruntime_providers_cuda.dll', 'cuda'],
    ['libonnxruntime.so.1', null],
    ['onnxruntime_binding.node', null],
  ])('%s belongs to %s', (file, provider) => {
    expect(providerOfLibrary(file)).toBe(provider);
  });
});

describe('a failed installation', () => {
  it.each([
    ['npm error code ENOTFOUND\nnpm error network request to …', 'the npm registry cannot be reached from this runner'],
    ['npm error code EINTEGRITY', 'the registry served other bytes than the lockfile pins'],
    ['npm error code E401', 'the npm registry refused access: check the npm settings of this runner'],
    ['npm error code E404', 'the npm registry of this runner does not have it'],
    ['npm ERR! code ENOSPC', 'the disk is full'],
    ['npm ERR! weird thing', 'weird thing'],
    ['', 'npm gave no reason'],
  ])('%j is told in one line with the way out', (printed, reason) => {
    expect(describeNpmFailure('1.30.0', printed)).toBe(
      `onnxruntime-node 1.30.0 could not be installed: ${reason} (or set onnxruntime-path to an installed copy)`,
    );
  });
});
