import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { floats, graph, modelBytes, node, valueInfo } from '../../src/model/onnx-build.ts';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoChange, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { embeddingModel, passThroughModel, tinyMlp } from '../fakes/tiny-models.ts';
import { HOSTILE_TEXTS } from '../report/hostile-texts.ts';
import { expectHarmless, pathsBelow } from './harmless.ts';

const MODEL = tinyMlp();
const CONFIG = '.github/model-gate.yml';
const CPU = "version: 1\nmodels: [{path: '**/*.onnx', providers: [cpu]}]\n";
const SHELL = '$(touch pwned)`touch pwned`;touch pwned|touch pwned&';
const TEXTS = [...HOSTILE_TEXTS, SHELL, '--upload-pack=touch pwned', '"quoted" \'twice\''];
const LIMIT_MS = 120_000;

/** A text as one file name: no slash, no NUL, at most 200 bytes. */
function fileName(text: string): string {
  const name = Buffer.from(text.replace(/[/\0]/g, '∕')).subarray(0, 200).toString().replaceAll('\ufffd', '');
  return ['', '.', '..'].includes(name.trim()) ? `blank${name.length}` : name;
}

/** NaN in every output, each with a hostile name. */
function nanOutputs(names: readonly string[]): Uint8Array {
  return modelBytes(
    graph({
      nodes: [node('Sub', ['x', 'x'], ['zero']), ...names.map((name) => node('Div', ['zero', 'zero'], [name]))],
      inputs: [valueInfo('x', 'float32', ['batch', 16])],
      outputs: names.map((name) => valueInfo(name, 'float32', ['batch', 16])),
    }),
  );
}

/** An operator nobody knows, whose name and domain the engine repeats in its message. */
function unknownOperator(text: string): Uint8Array {
  const operator = node('Op', ['x', 'w'], ['y']);
  operator.opType = text;
  operator.name = text;
  return modelBytes(
    graph({
      nodes: [operator],
      initialisers: [floats('w', [1], [1])],
      inputs: [valueInfo('x', 'float32', ['batch', 16])],
      outputs: [valueInfo('y', 'float32', ['batch', 16])],
    }),
  );
}

describe('hostile input to dist/index.js', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHubServer();
  });
  afterEach(() => server.close());

  interface Attack extends Partial<DemoChange> {
    readonly inputs?: Readonly<Record<string, string>>;
    /** Written over the event's pull request. */
    readonly pull?: Readonly<Record<string, unknown>>;
    readonly env?: Readonly<Record<string, string>>;
    /** Done to the workspace, as a commit with links in it does. */
    readonly prepare?: (workspace: string, folder: string) => void;
  }

  /** Runs the gate on an attack; new files outside of the output folder end up in `strays`. */
  async function attack({ base = {}, head = {}, branch, inputs = {}, pull = {}, env = {}, prepare }: Attack): Promise<{
    readonly result: ActionResult;
    readonly verdict: string | null;
    readonly strays: readonly string[];
  }> {
    const demo = createDemoRepository({ base: { [CONFIG]: CPU, ...base }, head, ...(branch ? { branch } : {}) });
    try {
      demo.announce(server.state);
      const workspace = demo.checkOut(MERGE_REF).root;
      prepare?.(workspace, demo.folder);
      const before = new Set(pathsBelow(demo.folder));
      const { name, payload } = eventOf('pull_request.opened', demo.commits);
      const event = {
        name,
        payload: { ...payload, pull_request: { ...(payload['pull_request'] as object), ...pull } },
      };
      const result = await runAction({ folder: demo.folder, workspace, event, inputs, env, server });
      const strays = pathsBelow(demo.folder).filter(
        (path) => !before.has(path) && !/\/model-gate-results(?:\/[\w.]+)?$/.test(path),
      );
      return { result, verdict: result.resultFile('verdict.json'), strays };
    } finally {
      demo.remove();
    }
  }

  it(
    'is text in file names, input names and symbolic dims',
    async () => {
      const models = [...new Set(TEXTS.map(fileName))].map((name, index) => {
        const text = TEXTS[index] ?? '';
        const inputs = [{ name: text || 'x', dtype: 'int64', dims: ['batch', text || 'd'] }];
        return [`models/${name}.onnx`, passThroughModel(inputs)] as const;
      });
      const { result, strays } = await attack({
        base: Object.fromEntries(models.map(([path]) => [path, MODEL])),
        head: Object.fromEntries(models),
      });
      expect(result).toMatchObject({ exitCode: 2, outputs: { outcome: 'no-verdict' } });
      expect(JSON.parse(result.outputs['gated-models'] ?? '')).toHaveLength(models.length);
      expectHarmless(result, server.state.comments);
      expect(strays).toEqual([]);
      expect(server.violations).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'is text in output names, operators and the messages of the engine',
    async () => {
      const outputs = TEXTS.filter((text) => text !== '').map((text) => text.slice(0, 100_000));
      const { result, strays } = await attack({
        base: { 'models/nan.onnx': MODEL, 'models/op.onnx': MODEL, 'models/long.onnx': MODEL },
        head: {
          'models/nan.onnx': nanOutputs([...new Set(outputs)]),
          'models/op.onnx': unknownOperator(TEXTS.slice(0, 45).join(' ')),
          'models/long.onnx': unknownOperator(`\n::error::${'x'.repeat(1_000_000)}`),
        },
      });
      expect(result).toMatchObject({ exitCode: 1, outputs: { outcome: 'fail' } });
      expect(result.summary).toContain('3 cases do not run');
      expectHarmless(result, server.state.comments);
      expect(strays).toEqual([]);
      expect(server.violations).toEqual([]);
    },
    LIMIT_MS,
  );

  it('is text in branch names, titles and everything else an event says', async () => {
    const { result, strays } = await attack({
      base: { 'models/m.onnx': MODEL },
      head: { 'models/m.onnx': passThroughModel([{ name: 'ids', dtype: 'int64', dims: ['batch', 4] }]) },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a shell would put a blank there
      branch: 'feat/@octocat-`id`-$(touch${IFS}pwned)-<img>-|-#1',
      pull: {
        title: `${SHELL}\n::error::x`.repeat(30_000),
        labels: TEXTS.map((name) => ({ name })),
        body: TEXTS.join('\n'),
      },
      env: {
        GITHUB_HEAD_REF: `${SHELL}\n::error::x`,
        GITHUB_WORKFLOW: '<img src=x>\n::error::y',
        GITHUB_ACTOR: '@octocat',
      },
    });
    expect(result).toMatchObject({ exitCode: 2, outputs: { outcome: 'no-verdict' } });
    expectHarmless(result, server.state.comments);
    expect(strays).toEqual([]);
  });

  it.each([
    ['an option for git in base-ref', { 'base-ref': '--upload-pack=touch pwned' }],
    ['a shell command in base-ref', { 'base-ref': SHELL }],
    ['a workflow command in base-ref', { 'base-ref': 'x\n::error::y\n##[error]z <img src=x> @octocat' }],
    ['markup in models', { models: '<img src=x> @octocat ::error::x' }],
    ['a path in config', { config: '../../../../../etc/passwd' }],
  ])('is refused as %s, in one line', async (_, inputs) => {
    const { result, strays } = await attack({ base: { 'models/m.onnx': MODEL }, head: { 'a.py': '' }, inputs });
    expect(result).toMatchObject({ exitCode: 3, outputs: { outcome: 'refused' } });
    expectHarmless(result, server.state.comments);
    expect(strays).toEqual([]);
  });

  it.each(
    TEXTS.filter((text) => text.trim() !== '')
      .map((text) => [JSON.stringify(text.slice(0, 30)), text])
      .filter((_, at) => at % 12 === 0),
  )('is refused as a key of the config: %s', async (_, text) => {
    const { result, strays } = await attack({
      base: { 'models/m.onnx': MODEL },
      head: { [CONFIG]: `version: 1\n${JSON.stringify(text)}: 1\n` },
    });
    expect(result).toMatchObject({ exitCode: 3, outputs: { outcome: 'refused' } });
    expectHarmless(result, server.state.comments);
    expect(strays).toEqual([]);
  });

  it('reads no file outside of the repository as external data of a model', async () => {
    const outside = (location: string) => embeddingModel({ tables: 1, rows: 4, location }).bytes;
    const { result, strays, verdict } = await attack({
      base: { 'models/up.onnx': MODEL, 'models/root.onnx': MODEL },
      head: { 'models/up.onnx': outside('../../secret.bin'), 'models/root.onnx': outside('/etc/passwd') },
      prepare: (workspace) => symlinkSync('/etc/passwd', join(workspace, '..', 'secret.bin')),
    });
    expect(result).toMatchObject({ exitCode: 2, outputs: { outcome: 'no-verdict' } });
    expect(verdict).not.toContain('root:');
    expectHarmless(result, server.state.comments);
    expect(strays).toEqual([]);
  });

  it('writes no file through a link that the change put in the place of the output folder', async () => {
    const { result, strays } = await attack({
      base: { 'models/m.onnx': MODEL },
      head: { 'a.py': '' },
      prepare: (workspace, folder) => {
        mkdirSync(join(folder, 'victim'));
        symlinkSync(join(folder, 'victim'), join(workspace, 'model-gate-results'));
      },
    });
    expect(result.exitCode).not.toBe(0);
    expectHarmless(result, server.state.comments);
    expect(strays).toEqual([]);
  });
});
