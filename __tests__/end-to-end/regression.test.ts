import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { gateConfigSchema } from '../../src/inputs/gate-config.ts';
import { plantWork } from '../../src/model/variant.ts';
import { type ActionResult, runAction, runCli } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { nanModel, tinyMlp, unknownOpModel } from '../fakes/tiny-models.ts';

const BASE = tinyMlp({ layers: 8 });
/** Planted work that costs many times what the model does, whatever else the machine does. */
const SLOW = plantWork(BASE, 4096);
const CONFIG = `version: 1
metrics: {latency.p95: {gate: false}, memory.host.peak: {gate: false}, memory.arena.peak: {gate: false}}
models: [{path: models/*.onnx, providers: [cpu], session: {threads: 1}}]
`;
const LIMIT_MS = 300_000;

describe('a pull request that makes one model slower and breaks two others', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let workspace: string;
  let result: ActionResult;
  beforeAll(async () => {
    const models = ['slow', 'unknown', 'nan', 'same'].map((name) => [`models/${name}.onnx`, BASE] as const);
    demo = createDemoRepository({
      base: { ...Object.fromEntries(models), '.github/model-gate.yml': CONFIG },
      head: { 'models/slow.onnx': SLOW, 'models/unknown.onnx': unknownOpModel(), 'models/nan.onnx': nanModel() },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    workspace = demo.checkOut(MERGE_REF).root;
    const event = eventOf('pull_request.opened', demo.commits);
    result = await runAction({ folder: demo.folder, workspace, event, server });
  }, LIMIT_MS);
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  const row = (model: string, metric: string) =>
    result.verdict().rows.find((entry) => entry.case === `models--${model}/cpu/b1/c1` && entry.metric === metric);
  const comment = () => server.state.comments.map(({ body }) => body).join('');

  it('fails the step, the status and the comment alike', () => {
    expect(result).toMatchObject({ exitCode: 1, stderr: '', outputs: { outcome: 'fail' } });
    expect(server.state.statuses.map(({ sha, state }) => [sha, state])).toEqual([
      [demo.commits.head, 'pending'],
      [demo.commits.head, 'failure'],
    ]);
    expect(server.state.comments).toHaveLength(1);
    expect(comment()).toContain('### ❌ Model Gate: 2 cases do not run and 1 regression in');
    expect(result.summary).toContain('### ❌ Model Gate: 2 cases do not run and 1 regression in');
    expect(server.violations).toEqual([]);
  });

  it('proves the slow model slower by what was planted or more', () => {
    const slow = row('slow', 'latency.p50');
    expect(slow).toMatchObject({ role: 'gated', status: 'regressed', proven: 'worse' });
    expect(slow?.change).toBeGreaterThan(0.6);
    expect(slow?.interval?.[0]).toBeGreaterThan(0.03);
    expect(comment()).toMatch(/\| models--slow cpu b1 · latency p50 \|.*\| ❌ \|/);
  });

  it.each([
    ['unknown', 'FooBar'],
    ['nan', 'NaN'],
  ])('says why the model %s does not run, and judges the others', (model, reason) => {
    expect(row(model, 'run')).toMatchObject({
      role: 'gated',
      status: 'regressed',
      reason: expect.stringContaining(reason),
    });
    expect(comment()).toContain(reason);
    expect(result.commands.join('\n')).toContain(reason);
  });

  it('does not gate a model that did not change', () => {
    expect(JSON.parse(result.outputs['gated-models'] ?? '')).toEqual([
      'models--nan',
      'models--slow',
      'models--unknown',
    ]);
  });

  it('prints the YAML that would waive the row and the command that would accept it', async () => {
    const yaml = /```yaml\n([\s\S]*?)```/.exec(comment())?.[1] ?? '';
    const waived = gateConfigSchema.parse({ ...parse(CONFIG), ...parse(yaml) });
    expect(waived.waivers).toMatchObject([
      { model: 'models--slow', metric: 'latency.p50', case: 'models--slow/cpu/b1/c1' },
    ]);
    expect(comment()).toContain('model-gate baseline accept --reason');
  });

  it('leaves measurements from which `compare` makes the same verdict to the byte', async () => {
    const files = ['base', 'head'].flatMap((arm) => [`--${arm}`, `model-gate-results/${arm}.measurement.json`]);
    const replay = await runCli(['compare', '--json', '--config', '.github/model-gate.yml', ...files], workspace);
    expect(replay).toEqual({ exitCode: 1, stderr: '', stdout: result.resultFile('verdict.json') });
  });
});
