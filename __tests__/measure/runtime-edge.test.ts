import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ResolvedRuntime, type RuntimeRequest, resolveRuntime } from '../../src/measure/runtime-edge.ts';
import { type FakeRegistry, startRegistry } from '../fakes/npm-registry.ts';

const root = mkdtempSync(join(tmpdir(), 'gate-runtime-'));
const repository = fileURLToPath(new URL('../..', import.meta.url));
const binary = (platform: string, arch: string) => `bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`;
const here = `bin/napi-v6/${process.platform}/${process.arch}`;

/** Plays the engine's own installer: writes the libraries only when asked for them. */
const INSTALLER = `
if (!process.argv.includes('--onnxruntime-node-install')) process.exit(3);
if (process.env.FAKE_NO_FEED) { console.error('Error: getaddrinfo ENOTFOUND feed'); process.exit(1); }
for (const name of ['cuda', 'shared', 'tensorrt'])
  require('node:fs').writeFileSync(require('node:path').join(__dirname, '..', '${here}', 'libonnxruntime_providers_' + name + '.so'), name);
`;

let registry: FakeRegistry;
beforeAll(async () => {
  registry = await startRegistry(join(root, 'registry'), [
    {
      name: 'onnxruntime-node',
      version: '9.9.9',
      files: {
        [`${here}/onnxruntime_binding.node`]: 'native',
        [binary('other', 'arch')]: 'x',
        'script/install.js': INSTALLER,
      },
    },
    { name: 'onnxruntime-common', version: '9.9.9', files: {} },
  ]);
});
afterAll(async () => {
  await registry.close();
  rmSync(root, { recursive: true, force: true });
});

let folder = 0;
const fresh = (name: string): string => join(root, `${name}-${folder++}`);

function request(changes: Partial<RuntimeRequest> = {}): RuntimeRequest {
  return {
    onnxruntimePath: null,
    actionDir: join(root, 'no-action'),
    lockDir: registry.lockDir,
    toolCache: fresh('tools'),
    installCuda: false,
    env: npmEnvironment(registry.url),
    ...changes,
  };
}

function npmEnvironment(url: string): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME, npm_config_registry: url, npm_config_cache: fresh('npm-cache'), npm_config_fetch_retries: '0' };
}

const NO_NPM = { execPath: '/nonexistent/bin/node', env: { PATH: '/nonexistent' } };

describe('finding the engine', () => {
  it('installs from the lockfile, keeps this platform only, and finds it again without npm', async () => {
    const wanted = request();
    const first = await resolveRuntime(wanted);
    expect(first).toMatchObject({ source: 'npm', version: '9.9.9', libraries: {} });
    expect(existsSync(join(first.dir, binary('other', 'arch')))).toBe(false);
    const second = await resolveRuntime({ ...wanted, ...NO_NPM });
    expect(second).toEqual({ ...first, source: 'tool-cache' });
  });

  it('runs no script of a package while installing', async () => {
    const { dir } = await resolveRuntime(request());
    expect(readdirSync(join(dir, here))).toEqual(['onnxruntime_binding.node']);
  });

  it('ends in one whole installation when jobs race', async () => {
    const toolCache = fresh('tools');
    const all = await Promise.all([1, 2, 3].map(() => resolveRuntime(request({ toolCache }))));
    expect(new Set(all.map(({ dir }) => dir)).size).toBe(1);
    expect(readdirSync(join(toolCache, 'model-gate-runtime'))).toHaveLength(1);
  });

  it('removes what a job killed long ago left, and nothing newer', async () => {
    const toolCache = fresh('tools');
    const abandoned = join(toolCache, 'model-gate-runtime', '.staging-old');
    const running = join(toolCache, 'model-gate-runtime', '.staging-new');
    mkdirSync(abandoned, { recursive: true });
    mkdirSync(running);
    utimesSync(abandoned, 1, 1);
    await resolveRuntime(request({ toolCache }));
    expect([existsSync(abandoned), existsSync(running)]).toEqual([false, true]);
  });

  it('prefers the path it was given, in both forms', async () => {
    const { dir, digest } = await resolveRuntime(request());
    for (const path of [dir, join(dir, '..', '..')]) {
      const found = await resolveRuntime(request({ onnxruntimePath: path, ...NO_NPM }));
      expect(found).toMatchObject({ dir, digest, source: 'onnxruntime-path' });
    }
  });

  it('takes node_modules beside the action if it has the pinned version', async () => {
    const { dir } = await resolveRuntime(request());
    const found = await resolveRuntime(request({ actionDir: join(dir, '..', '..'), ...NO_NPM }));
    expect(found.source).toBe('node_modules');
    const pins = fresh('lock');
    cpSync(registry.lockDir, pins, { recursive: true });
    writeFileSync(
      join(pins, 'package-lock.json'),
      '{"packages":{"node_modules/onnxruntime-node":{"version":"1.0.0"}}}',
    );
    await expect(
      resolveRuntime(request({ actionDir: join(dir, '..', '..'), lockDir: pins, ...NO_NPM })),
    ).rejects.toThrow('1.0.0');
  });

  it('tells engines of other bytes apart', async () => {
    const { dir, digest } = await resolveRuntime(request());
    const copy = fresh('copy');
    cpSync(join(dir, '..', '..'), copy, { recursive: true });
    expect((await resolveRuntime(request({ onnxruntimePath: copy }))).digest).toBe(digest);
    writeFileSync(join(copy, 'node_modules', 'onnxruntime-node', here, 'onnxruntime_binding.node'), 'natiVe');
    expect((await resolveRuntime(request({ onnxruntimePath: copy }))).digest).not.toBe(digest);
  });
});

describe('CUDA provider libraries', () => {
  it('come only when asked for, and their digests are told', async () => {
    const toolCache = fresh('tools');
    const plain = await resolveRuntime(request({ toolCache }));
    const cuda = await resolveRuntime(request({ toolCache, installCuda: true }));
    expect(plain.libraries).toEqual({});
    expect(Object.keys(cuda.libraries)).toEqual(['cuda', 'tensorrt']);
    expect(cuda.libraries['cuda']).toMatch(/^[0-9a-f]{64}$/);
    expect(cuda.dir).not.toBe(plain.dir);
    expect(await resolveRuntime(request({ toolCache, installCuda: true, ...NO_NPM }))).toMatchObject({
      libraries: cuda.libraries,
    });
  });

  it('that cannot be fetched are one line', async () => {
    const wanted = request({ installCuda: true });
    await expect(resolveRuntime({ ...wanted, env: { ...wanted.env, FAKE_NO_FEED: '1' } })).rejects.toMatchObject({
      name: 'NoVerdictError',
      message: expect.stringMatching(
        /^install-cuda: .*\(Error: getaddrinfo ENOTFOUND feed\); put them beside the engine/,
      ),
    });
  });
});

describe('what stands in the way is one line', () => {
  it.each<[string, () => Partial<RuntimeRequest>, RegExp]>([
    [
      'offline',
      () => ({ env: npmEnvironment('http://127.0.0.1:9') }),
      /could not be installed: the npm registry cannot be reached/,
    ],
    [
      'a registry without it',
      () => ({ env: npmEnvironment(`${registry.url}/nothing`) }),
      /registry of this runner does not have it/,
    ],
    ['no npm', () => NO_NPM, /no npm was found beside \/nonexistent\/bin\/node or on PATH/],
    [
      'a cache that cannot be written',
      () => ({ toolCache: '/dev/null/tools' }),
      /tool cache .* cannot be written \(ENOTDIR\)/,
    ],
    ['a dist without lockfile', () => ({ lockDir: join(root, 'nowhere') }), /no lockfile that pins onnxruntime-node/],
  ])('%s', async (_, changes, message) => {
    const failure = await resolveRuntime(request(changes())).catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ name: 'NoVerdictError', message: expect.stringMatching(message) });
    expect((failure as Error).message).not.toContain('\n');
  });

  it('other bytes than the lockfile pins', async () => {
    const pins = fresh('lock');
    mkdirSync(pins);
    cpSync(registry.lockDir, pins, { recursive: true });
    const lock = JSON.stringify({
      lockfileVersion: 3,
      packages: {
        '': { dependencies: { 'onnxruntime-node': '9.9.9' } },
        'node_modules/onnxruntime-node': {
          version: '9.9.9',
          integrity: `sha512-${Buffer.alloc(64).toString('base64')}`,
        },
      },
    });
    writeFileSync(join(pins, 'package.json'), '{"dependencies":{"onnxruntime-node":"9.9.9"}}');
    writeFileSync(join(pins, 'package-lock.json'), lock);
    const wanted = request({ lockDir: pins });
    await expect(resolveRuntime(wanted)).rejects.toThrow('other bytes than the lockfile pins');
    expect(readdirSync(join(wanted.toolCache, 'model-gate-runtime'))).toEqual([]);
  });

  it('a wrong path is refused, not installed around', async () => {
    await expect(resolveRuntime(request({ onnxruntimePath: root }))).rejects.toMatchObject({ name: 'RefusedError' });
  });
});

describe('the real engine', () => {
  let runtime: ResolvedRuntime;
  it('installs from our lockfile and loads', async () => {
    const env = { ...process.env, npm_config_prefer_offline: 'true' };
    const wanted = request({ lockDir: join(repository, 'runtime'), env });
    runtime = await resolveRuntime(wanted);
    const script = 'console.log(JSON.stringify(require(process.argv[1]).listSupportedBackends().map((b) => b.name)))';
    const printed = execFileSync(process.execPath, ['-e', script, runtime.dir], { encoding: 'utf8' });
    expect(JSON.parse(printed)).toContain('cpu');
    expect(runtime.version).toBe('1.30.0');
    expect(await resolveRuntime({ ...wanted, ...NO_NPM })).toMatchObject({ source: 'tool-cache', dir: runtime.dir });
  }, 300_000);
});
