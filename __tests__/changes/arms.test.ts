import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { type ArmsContext, materialiseArms } from '../../src/changes/arms-edge.ts';
import type { ArmSource, ChangedModel } from '../../src/changes/change-set.ts';
import { openCheckouts } from '../../src/changes/checkouts-edge.ts';
import { NoVerdictError, RefusedError } from '../../src/errors.ts';
import type { ModelConfig } from '../../src/inputs/gate-config.ts';
import { createRepository, type Repository, temporaryFolder } from '../fakes/git-repository.ts';
import { embeddingModel, tinyMlp } from '../fakes/tiny-models.ts';

const temporary = temporaryFolder();
const usual = { ...process.env };
afterAll(temporary.remove);
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in usual)) delete process.env[name];
  Object.assign(process.env, usual);
});

const small = tinyMlp({ dim: 4 });
const wide = tinyMlp({ dim: 8 });
let count = 0;

function repositoryOf(...commits: Readonly<Record<string, string | Uint8Array>>[]): Repository {
  const repository = createRepository(temporary.path, `repository-${count++}`);
  for (const files of commits) repository.commit(files);
  return repository;
}

function contextOf(repository: Repository): ArmsContext {
  const folder = mkdtempSync(join(temporary.path, 'arms-'));
  const checkouts = openCheckouts(repository.root, folder);
  return {
    root: repository.root,
    folder,
    headCommit: repository.git('rev-parse', 'HEAD'),
    checkouts,
    prepareTimeoutMs: 20_000,
  };
}

function changed(base: ArmSource | null, head: ArmSource, section: Omit<ModelConfig, 'id'> = {}): ChangedModel {
  const config = { id: 'm', ...section };
  return {
    id: 'm',
    path: 'm.onnx',
    reasons: ['modified'],
    previousId: null,
    base,
    head,
    baseConfig: config,
    headConfig: config,
    listedBy: 'head',
  };
}

const fromBase = (repository: Repository, path: string): ArmSource => ({
  kind: 'commit',
  commit: repository.git('rev-parse', 'HEAD~1'),
  path,
});
const fromTree = (path: string): ArmSource => ({ kind: 'work-tree', path });

async function ready(model: ChangedModel, context: ArmsContext) {
  const arms = await materialiseArms(model, context);
  if (arms.kind !== 'ready') throw new Error(`${arms.fault.reason}\n${arms.fault.stderrTail}`);
  return arms;
}

describe('arms from git', () => {
  it('are base byte for byte and the file of the work tree', async () => {
    const repository = repositoryOf({ 'a b/$(m).onnx': small }, { 'a b/$(m).onnx': wide });
    const arms = await ready(
      changed(fromBase(repository, 'a b/$(m).onnx'), fromTree('a b/$(m).onnx')),
      contextOf(repository),
    );
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
    expect(arms.head.modelFile).toBe(join(repository.root, 'a b/$(m).onnx'));
    expect(arms.base?.commit).toBe(repository.git('rev-parse', 'HEAD~1'));
    expect(arms.base?.sha256).not.toBe(arms.head.sha256);
    expect(repository.git('status', '--porcelain')).toBe('');
  });

  it('bring their external data along', async () => {
    const { bytes, externalBytes } = embeddingModel({ tables: 2, rows: 8, width: 4, location: 'w/tables.bin' });
    const tables = (value: number) => new Uint8Array(externalBytes).fill(value);
    const repository = repositoryOf(
      { 'x/m.onnx': bytes, 'x/w/tables.bin': tables(1) },
      { 'x/w/tables.bin': tables(2) },
    );
    const arms = await ready(changed(fromBase(repository, 'x/m.onnx'), fromTree('x/m.onnx')), contextOf(repository));
    expect(arms.base?.externalFiles).toEqual(['w/tables.bin']);
    expect(arms.base?.sha256).not.toBe(arms.head.sha256);
    expect(arms.base?.bytes).toBe(arms.head.bytes);
  });

  it('follow a link inside the repository, and none that leaves it', async () => {
    const repository = createRepository(temporary.path, `links-${count++}`);
    repository.write({ 'v1.onnx': small, 'v2.onnx': wide });
    symlinkSync('v1.onnx', join(repository.root, 'latest.onnx'));
    symlinkSync('/etc/passwd', join(repository.root, 'outside.onnx'));
    repository.commit();
    repository.commit();
    const arms = await ready(
      changed(fromBase(repository, 'latest.onnx'), fromTree('latest.onnx')),
      contextOf(repository),
    );
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
    const outside = materialiseArms(
      changed(fromBase(repository, 'outside.onnx'), fromTree('v2.onnx')),
      contextOf(repository),
    );
    await expect(outside).rejects.toThrow('is a link that leads out of the repository');
  });

  it('are a named file in place of git', async () => {
    const repository = repositoryOf({ 'm.onnx': wide });
    const file = join(temporary.path, 'accepted.onnx');
    writeFileSync(file, small);
    const arms = await ready(changed({ kind: 'file', path: file }, fromTree('m.onnx')), contextOf(repository));
    expect(arms.base).toMatchObject({ commit: null, modelFile: file });
  });

  it('are head alone, said so, where base is no model', async () => {
    const repository = repositoryOf({ 'm.onnx': small.subarray(0, 40) }, { 'm.onnx': small });
    const arms = await ready(changed(fromBase(repository, 'm.onnx'), fromTree('m.onnx')), contextOf(repository));
    expect(arms.base).toBeNull();
    expect(arms.notes).toEqual([expect.objectContaining({ code: 'base-unreadable', headline: true })]);
    expect(arms.notes[0]?.text).toContain('truncated');
  });

  it.each<[string, Uint8Array | string, string]>([
    ['a truncated file', small.subarray(0, 40), 'model "m.onnx" is truncated'],
    [
      'a pointer without content',
      `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`,
      'run "git lfs pull"',
    ],
    [
      'a model without its external file',
      embeddingModel({ tables: 1, rows: 2, width: 2, location: 'gone.bin' }).bytes,
      'its external data file "gone.bin" is missing',
    ],
  ])('refuse %s as head in one line', async (_, content, reason) => {
    const repository = repositoryOf({ 'm.onnx': small }, { 'm.onnx': content });
    const arms = materialiseArms(changed(fromBase(repository, 'm.onnx'), fromTree('m.onnx')), contextOf(repository));
    await expect(arms).rejects.toThrow(RefusedError);
    await expect(arms).rejects.toThrow(reason);
  });
});

describe('base behind Git LFS', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'b'.repeat(64)}\nsize ${small.byteLength}\n`;

  /** Base has a pointer under an LFS attribute, head the plain file and no attribute. */
  function pointerRepository(): Repository {
    const repository = createRepository(temporary.path, `lfs-${count++}`);
    repository.git('config', 'filter.lfs.clean', 'cat');
    repository.commit({ 'm.onnx': pointer, '.gitattributes': '*.onnx filter=lfs\n' });
    repository.commit({ 'm.onnx': wide, '.gitattributes': '\n' });
    repository.write({ '../content.onnx': small });
    return repository;
  }

  it('is its real content through the filter git is configured with', async () => {
    const repository = pointerRepository();
    const filter = join(temporary.path, 'smudge.sh');
    writeFileSync(filter, `#!/bin/sh\ngrep -q "sha256:${'b'.repeat(64)}" && cat "${temporary.path}/content.onnx"\n`);
    chmodSync(filter, 0o755);
    repository.git('config', 'filter.lfs.smudge', filter);
    const arms = await ready(changed(fromBase(repository, 'm.onnx'), fromTree('m.onnx')), contextOf(repository));
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
  });

  it('is fetched by an installed git-lfs that git is not configured with', async () => {
    const repository = pointerRepository();
    const bin = join(temporary.path, 'bin');
    mkdirSync(bin, { recursive: true });
    writeFileSync(
      join(bin, 'git-lfs'),
      `#!/bin/sh\n[ "$1" = version ] || { cat >/dev/null; cat "${temporary.path}/content.onnx"; }\n`,
    );
    chmodSync(join(bin, 'git-lfs'), 0o755);
    process.env['PATH'] = `${bin}:${process.env['PATH']}`;
    const arms = await ready(changed(fromBase(repository, 'm.onnx'), fromTree('m.onnx')), contextOf(repository));
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
  });

  it.each([
    ['git-lfs is missing', null, 'install git-lfs on this machine'],
    [
      'its content can not be fetched',
      'cat',
      'whose content could not be fetched: check that "git lfs pull" works here',
    ],
  ])('is no verdict where %s', async (_, smudge, reason) => {
    const repository = pointerRepository();
    if (smudge) repository.git('config', 'filter.lfs.smudge', smudge);
    process.env['PATH'] = pathWithout('git-lfs');
    const arms = materialiseArms(changed(fromBase(repository, 'm.onnx'), fromTree('m.onnx')), contextOf(repository));
    await expect(arms).rejects.toThrow(NoVerdictError);
    await expect(arms).rejects.toThrow(reason);
  });

  /** Folders of PATH that do not hold `program`; git's own always stays. */
  function pathWithout(program: string): string {
    return (process.env['PATH'] ?? '')
      .split(':')
      .filter((folder) => !existsSync(join(folder, program)))
      .join(':');
  }
});

describe('arms that are built', () => {
  const built = (commit: string | null, command: string, path: string | null = null): ArmSource => ({
    kind: 'prepare',
    commit,
    command,
    path,
  });
  const both = (repository: Repository, command: string, section: Omit<ModelConfig, 'id'> = {}) =>
    changed(built(repository.git('rev-parse', 'HEAD~1'), command), built(null, command), section);
  const COPY = 'cp source.onnx {output}; echo built here; pwd';

  it('are built once each, in their own checkouts, leaving nothing behind', async () => {
    const repository = repositoryOf({ 'source.onnx': small }, { 'source.onnx': wide });
    const context = contextOf(repository);
    const arms = await ready(both(repository, COPY), context);
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
    expect(readFileSync(arms.head.modelFile)).toEqual(Buffer.from(wide));
    expect(arms.builds).toBeNull();
    expect(readFileSync(join(context.folder, 'm/head-build-1.log'), 'utf8')).toBe(`built here\n${repository.root}\n`);
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(2);
    await context.checkouts.close();
    expect(repository.git('worktree', 'list').split('\n')).toHaveLength(1);
    expect(readdirSync(context.folder)).toEqual(['m']);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('branch', '--list')).toBe('* main');
  });

  it('leave the uncommitted work and the index of the user as they are', async () => {
    const repository = repositoryOf({ 'source.onnx': small, 'b.txt': '1' }, { 'source.onnx': wide });
    repository.write({ 'b.txt': '2', 'staged.txt': '1' });
    repository.git('add', 'staged.txt');
    const before = [repository.git('status', '--porcelain'), repository.git('stash', 'list')];
    const index = readFileSync(join(repository.root, '.git/index'));
    const context = contextOf(repository);
    await ready(both(repository, COPY), context);
    await context.checkouts.close();
    expect([repository.git('status', '--porcelain'), repository.git('stash', 'list')]).toEqual(before);
    expect(readFileSync(join(repository.root, '.git/index'))).toEqual(index);
  });

  it('run no hook of the repository', async () => {
    const repository = repositoryOf({ 'source.onnx': small }, { 'source.onnx': wide });
    const hook = join(repository.root, '.git/hooks/post-checkout');
    writeFileSync(hook, `#!/bin/sh\ntouch "${temporary.path}/hook-ran"\n`);
    chmodSync(hook, 0o755);
    await ready(both(repository, COPY), contextOf(repository));
    expect(existsSync(join(temporary.path, 'hook-ran'))).toBe(false);
  });

  it('may be made from a file of the checkout', async () => {
    const repository = repositoryOf({ 'in/m.onnx': small }, { 'in/m.onnx': wide });
    const source = (commit: string | null) => built(commit, 'cp {model} {output}', 'in/m.onnx');
    const arms = await ready(
      changed(source(repository.git('rev-parse', 'HEAD~1')), source(null)),
      contextOf(repository),
    );
    expect(readFileSync(arms.base?.modelFile as string)).toEqual(Buffer.from(small));
  });

  it('put no file name into the shell that could be more than a word', async () => {
    const repository = repositoryOf({ 'x.onnx': small }, {});
    const hostile = `a;touch ${temporary.path}/injected;.onnx`;
    const arms = materialiseArms(changed(null, built(null, 'cp {model} {output}', hostile)), contextOf(repository));
    await expect(arms).rejects.toThrow("can't be put into a command safely");
    expect(existsSync(join(temporary.path, 'injected'))).toBe(false);
  });

  it.each<[string, string, string, string]>([
    [
      'fails',
      'echo reading; echo "no module named torch" >&2; exit 3',
      'ended with exit code 3',
      'reading\nno module named torch\n',
    ],
    ['is killed', 'kill -9 $$', 'ended with SIGKILL', ''],
    ['writes nothing', 'true {output}', 'wrote no file to {output}', ''],
    ['writes no model', 'echo hello > {output}', 'wrote no readable model: ', ''],
  ])('are a fault with the end of the log where the command %s', async (_, command, reason, tail) => {
    const repository = repositoryOf({ 'source.onnx': small }, { 'source.onnx': wide });
    const arms = await materialiseArms(both(repository, command), contextOf(repository));
    expect(arms).toMatchObject({ kind: 'fault', fault: { kind: 'not-measured', stderrTail: tail } });
    expect(arms.kind === 'fault' && arms.fault.reason).toContain(
      `\`prepare\` of m in base (${repository.git('rev-parse', '--short=7', 'HEAD~1')}) ${reason}`,
    );
  });

  it('are a fault at the time limit', async () => {
    const repository = repositoryOf({ a: '' }, {});
    const context = { ...contextOf(repository), prepareTimeoutMs: 1 };
    const arms = await materialiseArms(changed(null, built(null, 'sleep 600; true {output}')), context);
    expect(arms).toMatchObject({ kind: 'fault', fault: { reason: expect.stringContaining('took longer than 0 s') } });
  });

  it('end with all they started when the run is cancelled', async () => {
    const repository = repositoryOf({ a: '' }, {});
    const pidFile = join(temporary.path, 'pid');
    const cancel = new AbortController();
    const command = `sleep 600 & echo $! > ${pidFile}.new; mv ${pidFile}.new ${pidFile}; wait; true {output}`;
    const arms = materialiseArms(changed(null, built(null, command)), {
      ...contextOf(repository),
      signal: cancel.signal,
    });
    await until(() => existsSync(pidFile));
    cancel.abort();
    expect(await arms).toMatchObject({ kind: 'fault', fault: { reason: expect.stringContaining('was cancelled') } });
    const pid = readFileSync(pidFile, 'utf8').trim();
    await until(() => !isRunning(pid));
  });

  it('are not even begun when the run is cancelled already', async () => {
    const repository = repositoryOf({ a: '' }, {});
    const trace = join(temporary.path, 'begun');
    const context = { ...contextOf(repository), signal: AbortSignal.abort() };
    const arms = await materialiseArms(changed(null, built(null, `touch ${trace} {output}`)), context);
    expect(arms).toMatchObject({ kind: 'fault', fault: { reason: expect.stringContaining('was cancelled') } });
    expect(existsSync(trace)).toBe(false);
  });

  function isRunning(pid: string): boolean {
    try {
      return readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2] !== 'Z';
    } catch {
      return false;
    }
  }

  /** Comes back once `holds` does; the test's own time limit ends a wait for nothing. */
  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  }

  it('get no tokens, no secrets and no way to later steps', async () => {
    const withheld = [
      'GITHUB_TOKEN',
      'ACTIONS_RUNTIME_TOKEN',
      'ACTIONS_ID_TOKEN_REQUEST_URL',
      'INPUT_GITHUB-TOKEN',
      'GITHUB_ENV',
      'GITHUB_OUTPUT',
      'AWS_SECRET_ACCESS_KEY',
      'HF_TOKEN',
      'DB_PASSWORD',
    ];
    for (const name of withheld) process.env[name] = 'hidden-value';
    Object.assign(process.env, { CUDA_VISIBLE_DEVICES: '0' });
    const repository = repositoryOf({ 'source.onnx': small }, {});
    const context = contextOf(repository);
    await ready(changed(null, built(null, `env; cp source.onnx {output}`)), context);
    const log = readFileSync(join(context.folder, 'm/head-build-1.log'), 'utf8');
    expect(log).not.toContain('hidden-value');
    expect(log).toContain('CUDA_VISIBLE_DEVICES=0');
  });

  describe('whose bytes differ from build to build', () => {
    /** Gives another model at the second build than at the first. */
    function lottery(): { readonly repository: Repository; readonly command: string } {
      const repository = repositoryOf({ '0.onnx': small, '1.onnx': wide }, { 'note.txt': '' });
      const log = join(temporary.path, `builds-${count++}`);
      return { repository, command: `cp $(test -e ${log} && echo 1 || echo 0).onnx {output}; touch ${log}` };
    }

    it('are built as often as the config asks', async () => {
      const { repository, command } = lottery();
      const arms = await ready(both(repository, command, { builds: 6 }), contextOf(repository));
      expect([arms.builds?.base.length, arms.builds?.head.length]).toEqual([6, 6]);
      expect(new Set(arms.builds?.base.map((build) => build.modelFile)).size).toBe(6);
      expect(arms.notes).toEqual([expect.objectContaining({ code: 'builds-differ', headline: false })]);
    });

    it('are told to be too few otherwise', async () => {
      const { repository, command } = lottery();
      const arms = await ready(both(repository, command), contextOf(repository));
      expect([arms.builds?.base.length, arms.builds?.head.length]).toEqual([2, 1]);
      expect(arms.notes[0]).toMatchObject({
        headline: true,
        text: expect.stringContaining('set `builds: 6` or name a `timing-cache`'),
      });
    });

    it('are one each where both share a timing cache', async () => {
      const { repository, command } = lottery();
      const arms = await ready(both(repository, command, { 'timing-cache': 'cache.bin' }), contextOf(repository));
      expect(arms).toMatchObject({ builds: null, notes: [] });
    });

    it('are not looked into where both arms come out alike', async () => {
      const repository = repositoryOf({ 'source.onnx': small }, { 'note.txt': '' });
      const log = join(temporary.path, `builds-${count++}`);
      const arms = await ready(both(repository, `cp source.onnx {output}; echo x >> ${log}`), contextOf(repository));
      expect(arms.base?.sha256).toBe(arms.head.sha256);
      expect(readFileSync(log, 'utf8')).toBe('x\nx\n');
    });
  });

  it('start from a clean checkout at each build', async () => {
    const repository = repositoryOf({ '0.onnx': small, '1.onnx': tinyMlp({ dim: 6 }) }, { '0.onnx': wide });
    const command = 'cp $(test -e leftover && echo 1 || echo 0).onnx {output}; touch leftover';
    const arms = await ready(both(repository, command), contextOf(repository));
    expect(arms.base?.sha256).not.toBe(arms.head.sha256);
    expect(arms.builds).toBeNull();
  });
});
