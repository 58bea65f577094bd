import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoRepository, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { tinyMlp } from '../fakes/tiny-models.ts';

const CONFIG = 'version: 1\nmodels: [{path: models/*.onnx, providers: [cpu], session: {threads: 1}}]\n';
const LIMIT_MS = 300_000;

const measuredLines = ({ stdout }: ActionResult) =>
  stdout.split('\n').filter((line) => /preparing|restart \d/.test(line));

describe('a label on a pull request whose results were kept', () => {
  let demo: DemoRepository;
  let server: GitHubServer;
  let workspace: string;
  beforeAll(async () => {
    demo = createDemoRepository({
      base: { 'README.md': 'words', '.github/model-gate.yml': CONFIG },
      head: { 'models/fresh.onnx': tinyMlp({ layers: 3 }) },
    });
    server = await startGitHubServer();
    demo.announce(server.state);
    workspace = demo.checkOut(MERGE_REF).root;
  });
  afterAll(async () => {
    await server.close();
    demo.remove();
  });

  const gate = (fixture: string, env: Readonly<Record<string, string>>) =>
    runAction({ folder: demo.folder, workspace, event: eventOf(fixture, demo.commits), server, env });

  it(
    'is answered from them without measuring, with the same rows',
    async () => {
      const first = await gate('pull_request.opened', { GITHUB_RUN_ID: '1' });
      expect(first).toMatchObject({ exitCode: 0, outputs: { outcome: 'pass' } });
      expect(measuredLines(first).length).toBeGreaterThan(6);
      const again = await gate('pull_request.labeled', { GITHUB_RUN_ID: '2' });
      expect(again).toMatchObject({ exitCode: 0, outputs: { outcome: 'pass' } });
      expect(measuredLines(again)).toEqual([]);
      expect(again.verdict().rows).toEqual(first.verdict().rows);
      expect(server.state.statuses.at(-1)).toMatchObject({ sha: demo.commits.head, state: 'success' });
    },
    LIMIT_MS,
  );
});
