import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendSessions } from '../../src/baseline/append-session.ts';
import { serialiseBaseline } from '../../src/baseline/baseline-file.ts';
import { baselinePath } from '../../src/baseline/baseline-path.ts';
import type { Baseline } from '../../src/baseline/baseline-schema.ts';
import { openBranchStore } from '../../src/baseline/branch-store-edge.ts';
import { seededRandom } from '../levels/random.ts';
import { type Shape, syntheticSession } from './sessions.ts';
import { printTable } from './table.ts';

const BRANCH = 'model-gate-baselines';
const CLASS = '9a1b2c3d4e5f';
const FACTS = { 'cpu.model': 'AMD EPYC 7R13', 'cpu.granted': 8, 'gpu.name': 'NVIDIA L4', 'driver.major': 580 };
const folder = mkdtempSync(join(tmpdir(), 'model-gate-store-bench-'));

function git(cwd: string, args: readonly string[], input = ''): string {
  return execFileSync('git', [...args], { cwd, input, stdio: ['pipe', 'pipe', 'ignore'], maxBuffer: 2 ** 30 })
    .toString()
    .trim();
}

function commit(mark: number, files: readonly (readonly [string, string])[]): string {
  const header = `commit refs/heads/${BRANCH}\nmark :${mark}\ncommitter Model Gate <model-gate@localhost> ${1_760_000_000 + mark} +0000\ndata 1\nx\n`;
  const blobs = files.map(([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`);
  return `${header}${mark > 1 ? `from :${mark - 1}\n` : ''}${blobs.join('')}\n`;
}

function newRemote(name: string): string {
  const bare = join(folder, name);
  git(folder, ['init', '--quiet', '--bare', '--initial-branch=main', bare]);
  return bare;
}

/** The file and the packed repository after so many commits of one model. */
function sizes(commits: number, shape: Shape): string[] {
  const bare = newRemote(`size-${commits}-${shape.cases}.git`);
  const random = seededRandom(7);
  const header = { model: 'ranker', class: CLASS, facts: FACTS };
  let baseline: Baseline | null = null;
  let text = '';
  const stream: string[] = [];
  for (let index = 0; index < commits; index++) {
    baseline = appendSessions(baseline, header, syntheticSession(index, shape, random));
    if (baseline === null) continue;
    text = serialiseBaseline(baseline);
    stream.push(commit(index + 1, [[baselinePath(header), text]]));
  }
  for (let at = 0; at < stream.length; at += 100) {
    const part =
      at === 0
        ? stream.slice(0, 100).join('')
        : stream
            .slice(at, at + 100)
            .join('')
            .replace(`from :${at}\n`, `from refs/heads/${BRANCH}^0\n`);
    git(bare, ['fast-import', '--quiet', '--force'], part);
  }
  git(bare, ['gc', '--quiet', '--prune=now']);
  const packKiB = Number(/size-pack: (\d+)/.exec(git(bare, ['count-objects', '-v']))?.[1]);
  return [
    `${commits} commits × ${shape.cases * shape.metrics} metrics`,
    mebibytes(text.length),
    mebibytes(packKiB * 1024),
  ];
}

/** Seconds to read one model from a clone that has never seen the store, and again. */
async function reads(models: number, sessions: number): Promise<string[]> {
  const bare = newRemote(`read-${models}-${sessions}.git`);
  const random = seededRandom(7);
  const shape = { cases: 1, metrics: 3, restarts: 9 };
  const files = Array.from({ length: models }, (_, number): [string, string] => {
    const header = { model: `model-${number}`, class: CLASS, facts: FACTS };
    let baseline: Baseline | null = null;
    for (let index = 0; index < sessions; index++)
      baseline = appendSessions(baseline, header, syntheticSession(index, shape, random));
    return [baselinePath(header), baseline === null ? '' : serialiseBaseline(baseline)];
  });
  git(bare, ['fast-import', '--quiet'], commit(1, files));
  git(bare, ['gc', '--quiet']);
  const seconds: number[] = [];
  for (const kind of ['shallow', 'complete'] as const) {
    const clone = join(folder, `clone-${models}-${sessions}-${kind}`);
    git(folder, ['init', '--quiet', clone]);
    git(clone, ['remote', 'add', 'origin', `file://${bare}`]);
    if (kind === 'shallow') {
      git(
        bare,
        ['fast-import', '--quiet'],
        commit(2, [])
          .replace(BRANCH, 'main')
          .replace('from :1\n', `from ${git(bare, ['rev-parse', BRANCH])}\n`),
      );
      git(clone, ['fetch', '--quiet', '--depth=1', '--filter=tree:0', 'origin', 'main']);
    }
    const store = await openBranchStore({
      repository: clone,
      remote: 'origin',
      branch: BRANCH,
      environment: process.env,
      now: () => new Date(0),
      random: Math.random,
      wait: async () => {},
    });
    for (const model of ['model-0', `model-${models - 1}`]) {
      const start = performance.now();
      const baseline = await store.read({ model, class: CLASS });
      seconds.push((performance.now() - start) / 1000);
      if (baseline?.sessions.length !== sessions) throw new Error(`read ${baseline?.sessions.length} sessions`);
    }
  }
  const total = files.reduce((sum, [, text]) => sum + text.length, 0);
  return [
    `${models} models × ${sessions} sessions`,
    mebibytes(total),
    ...seconds.map((value) => `${value.toFixed(3)} s`),
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MiB`;
}

try {
  printTable([
    ['store of one model', 'file', 'packed history'],
    sizes(100, { cases: 10, metrics: 3, restarts: 9 }),
    sizes(1000, { cases: 10, metrics: 3, restarts: 9 }),
    sizes(1000, { cases: 1, metrics: 30, restarts: 9 }),
  ]);
  console.log('');
  printTable([
    ['read one model', 'store', 'shallow, first', 'again', 'complete, first', 'again'],
    await reads(10, 30),
    await reads(100, 30),
    await reads(1000, 10),
    await reads(1000, 30),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
