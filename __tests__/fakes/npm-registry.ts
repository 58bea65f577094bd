import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';

export interface FakeRegistry {
  readonly url: string;
  /** Paths asked for so far. */
  readonly asked: string[];
  /** Folder with the lockfile that pins what is served. */
  readonly lockDir: string;
  close(): Promise<void>;
}

export interface ServedPackage {
  readonly name: string;
  readonly version: string;
  readonly files: Readonly<Record<string, string>>;
}

/** An npm registry on this machine that serves small packages, with a lockfile for them in `folder`. */
export async function startRegistry(folder: string, packages: readonly ServedPackage[]): Promise<FakeRegistry> {
  const served = packages.map((pack) => ({ ...pack, tarball: packTarball(folder, pack) }));
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    const pack = served.find(({ name }) => path === `/${name}` || path === `/${name}.tgz`);
    if (pack === undefined) return void response.writeHead(404).end('{}');
    if (path.endsWith('.tgz')) return void response.end(pack.tarball);
    const dist = { tarball: `${urlOf()}/${pack.name}.tgz`, integrity: integrity(pack.tarball) };
    const versions = { [pack.version]: { name: pack.name, version: pack.version, dist } };
    response.end(JSON.stringify({ name: pack.name, versions, 'dist-tags': { latest: pack.version } }));
  });
  const urlOf = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const lockDir = join(folder, 'lock');
  mkdirSync(lockDir, { recursive: true });
  const dependencies = Object.fromEntries(packages.map(({ name, version }) => [name, version]));
  const root = { name: 'runtime', version: '0.0.0', dependencies };
  writeFileSync(join(lockDir, 'package.json'), JSON.stringify(root));
  const entries = served.map(({ name, version, tarball }) => [
    `node_modules/${name}`,
    { version, integrity: integrity(tarball) },
  ]);
  const lock = { ...root, lockfileVersion: 3, requires: true, packages: { '': root, ...Object.fromEntries(entries) } };
  writeFileSync(join(lockDir, 'package-lock.json'), JSON.stringify(lock));
  return { url: urlOf(), asked, lockDir, close: () => new Promise((resolve) => server.close(() => resolve())) };
}

function packTarball(folder: string, { name, version, files }: ServedPackage): Buffer {
  const root = join(folder, 'pack', name);
  const all = { 'package.json': JSON.stringify({ name, version, main: 'index.js' }), 'index.js': '', ...files };
  for (const [path, text] of Object.entries(all)) {
    const file = join(root, 'package', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  execFileSync('tar', ['-czf', join(root, 'p.tgz'), '-C', root, 'package']);
  return readFileSync(join(root, 'p.tgz'));
}

function integrity(bytes: Buffer): string {
  return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
}
