import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { reserialise } from '../../src/model/variant.ts';
import { type ActionResult, runAction, runCli } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { tinyMlp, unknownOpModel } from '../fakes/tiny-models.ts';

const MODEL = tinyMlp();
const CONFIG = `version: 1
time-budget: 2m
metrics: {latency.p50: {margin: 50%}, latency.p95: {gate: false}, memory.host.peak: {gate: false}}
models: [{path: models/*.onnx, providers: [cpu], session: {threads: 1}}]
`;
const LIMIT_MS = 300_000;

/** Artifacts by name: a workspace whose results folder was uploaded. */
type Artifacts = Readonly<Record<string, string>>;

describe('a change measured in shards', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let planned: ActionResult;
  const artifacts: Record<string, string> = {};
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'models/good.onnx': MODEL, 'models/worse.onnx': MODEL, '.github/model-gate.yml': CONFIG },
      head: { 'models/good.onnx': reserialise(MODEL), 'models/worse.onnx': unknownOpModel() },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    planned = await run('model-gate-plan', { command: 'plan' });
    const plan = { 'model-gate-plan': artifacts['model-gate-plan'] ?? '' };
    await run('model-gate-shard-0', { command: 'measure', shard: '1/2' }, { flat: plan });
    await run('model-gate-shard-1', { command: 'measure', shard: '2/2' }, { flat: plan });
  }, LIMIT_MS);
  beforeEach(() => {
    server.state.comments.length = 0;
    server.state.statuses.length = 0;
  });
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  /** Runs a command in a workspace of its own after the artifacts were downloaded into it, and keeps its results as `name`. */
  async function run(
    name: string,
    inputs: Readonly<Record<string, string>>,
    { flat = {}, nested = {} }: { readonly flat?: Artifacts; readonly nested?: Artifacts } = {},
  ): Promise<ActionResult> {
    const workspace = demo.checkOut(MERGE_REF).root;
    const results = join(workspace, 'model-gate-results');
    for (const from of Object.values(flat)) cpSync(from, results, { recursive: true });
    for (const [folder, from] of Object.entries(nested)) cpSync(from, join(results, folder), { recursive: true });
    artifacts[name] = results;
    return runAction({
      folder: demo.folder,
      workspace,
      event: eventOf('pull_request.opened', demo.commits),
      inputs,
      server,
    });
  }

  it('is planned for a matrix of runners, without asking GitHub', () => {
    expect(planned).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(planned.outputs['matrix'] ?? '')).toEqual({ include: [{ shard: '1/2' }, { shard: '2/2' }] });
    expect(planned.outputs).toMatchObject({ 'has-work': 'true', 'gated-models': '["models--good","models--worse"]' });
    expect(server.requests).toEqual([]);
  });

  it("is planned for the step's own time budget where it has one", async () => {
    const replanned = await run('replanned', { command: 'plan', 'time-budget': '20m' });
    expect(replanned.outputs['matrix']).toBe('{"include":[{"shard":"1/1"}]}');
  });

  it('has one verdict, which equals `compare` of the same files to the byte', async () => {
    const { 'model-gate-plan': plan = '', 'model-gate-shard-0': one = '', 'model-gate-shard-1': two = '' } = artifacts;
    const nested = { 'model-gate-plan': plan, 'model-gate-shard-0': one, 'model-gate-shard-1': two };
    const judged = await run('judged', { command: 'judge' }, { nested });
    expect(judged).toMatchObject({ exitCode: 1, stderr: '', outputs: { outcome: 'fail' } });
    expect(judged.verdict().rows.map((row) => [row.case, row.metric, row.status])).toEqual(
      expect.arrayContaining([
        ['models--good/cpu/b1/c1', 'latency.p50', 'pass'],
        ['models--worse/cpu/b1/c1', 'run', 'regressed'],
      ]),
    );
    expect(server.state.statuses.map(({ state }) => state)).toEqual(['pending', 'failure']);
    expect(server.state.comments).toHaveLength(1);
    expect(server.violations).toEqual([]);
    const of = (arm: string) => [plan, one, two].map((folder) => join(folder, `${arm}.measurement.json`));
    const compared = await runCli(
      ['compare', '--json', '--config', '.github/model-gate.yml', '--base', ...of('base'), '--head', ...of('head')],
      join(artifacts['judged'] ?? '', '..'),
    );
    expect(compared).toEqual({ exitCode: 1, stderr: '', stdout: judged.resultFile('verdict.json') });
  });

  it('has no verdict without all of its shards, and names the one that is missing', async () => {
    const { 'model-gate-plan': plan = '', 'model-gate-shard-0': one = '' } = artifacts;
    const judged = await run(
      'short',
      { command: 'judge' },
      { nested: { 'model-gate-plan': plan, 'model-gate-shard-0': one } },
    );
    expect(judged).toMatchObject({ exitCode: 2, stderr: '', outputs: { outcome: 'no-verdict' } });
    expect(judged.summary).toContain('shard 2/2 left no measurement of it');
    expect(server.state.statuses.at(-1)).toMatchObject({ sha: demo.commits.head, state: 'error' });
  });

  it('has no verdict without a plan', async () => {
    const judged = await run('planless', { command: 'judge' });
    expect(judged).toMatchObject({ exitCode: 2, outputs: { outcome: 'no-verdict' } });
    expect(judged.summary).toContain('holds no plan.json');
    expect(server.state.statuses.map(({ state }) => state)).toEqual(['pending', 'error']);
  });

  it.each([
    [
      'a shard that is not planned',
      { command: 'measure', shard: '3/3' },
      3,
      'the plan has no shard 3/3: it has 1/2, 2/2',
    ],
    ['no shard', { command: 'measure' }, 3, 'input shard: command measure needs it'],
  ])('refuses to measure %s', async (_, inputs, exitCode, reason) => {
    const result = await run('refused', inputs, { flat: { plan: artifacts['model-gate-plan'] ?? '' } });
    expect(result.exitCode).toBe(exitCode);
    expect(result.commands.join('\n')).toContain(reason);
  });
});

describe('a change without a model, in shards', () => {
  it('has no work, and passes', async () => {
    const demo = createDemoRepository({ base: { 'models/good.onnx': MODEL }, head: { 'a.py': '' } });
    const server = await startGitHubServer();
    demo.announce(server.state);
    try {
      const workspace = demo.checkOut(MERGE_REF).root;
      const event = eventOf('pull_request.opened', demo.commits);
      const step = (command: string) =>
        runAction({ folder: demo.folder, workspace, event, inputs: { command }, server });
      expect(await step('plan')).toMatchObject({
        exitCode: 0,
        outputs: { 'has-work': 'false', matrix: '{"include":[]}' },
      });
      expect(await step('judge')).toMatchObject({ exitCode: 0, outputs: { outcome: 'pass' } });
    } finally {
      await server.close();
      demo.remove();
    }
  });
});
