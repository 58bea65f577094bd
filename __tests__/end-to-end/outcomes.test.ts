import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ActionResult, runAction } from '../fakes/action-run.ts';
import { eventOf } from '../fakes/action-run-event.ts';
import { createDemoRepository, type DemoChange, MERGE_REF } from '../fakes/demo-repository.ts';
import { type GitHubServer, startGitHubServer } from '../fakes/github-server.ts';
import { passThroughModel, tinyMlp, unknownOpModel } from '../fakes/tiny-models.ts';

const MODEL = tinyMlp();
const CONFIG = '.github/model-gate.yml';
const CPU = 'version: 1\nmodels: [{path: models/ranker.onnx, providers: [cpu]}]\n';
/** Head does not load: a fail within seconds. */
const BROKEN: DemoChange = {
  base: { 'models/ranker.onnx': MODEL, [CONFIG]: CPU },
  head: { 'models/ranker.onnx': unknownOpModel() },
};
/** Ids without a range can't be made up: no verdict at once. */
const UNCLEAR: DemoChange = {
  base: { 'models/ranker.onnx': MODEL, [CONFIG]: CPU },
  head: { 'models/ranker.onnx': passThroughModel([{ name: 'ids', dtype: 'int64', dims: ['batch', 26] }]) },
};
const configOf = (text: string): DemoChange => ({ base: BROKEN.base, head: { [CONFIG]: text } });

interface Expected {
  readonly change: DemoChange;
  readonly inputs?: Readonly<Record<string, string>>;
  readonly exitCode: number;
  readonly outcome: string;
  /** Last state on the pull request's head; null where nothing is known of it. */
  readonly state: string | null;
  readonly says: RegExp;
}

const CASES: Record<string, Expected> = {
  'a model that no longer loads': {
    change: BROKEN,
    exitCode: 1,
    outcome: 'fail',
    state: 'failure',
    says: /### ❌ Model Gate: 1 case does not run/,
  },
  'the same without enforcement': {
    change: BROKEN,
    inputs: { enforce: 'false' },
    exitCode: 0,
    outcome: 'fail',
    state: 'success',
    says: /^### Not enforced · ❌ Model Gate: 1 case does not run/m,
  },
  'a model that can not be fed': {
    change: UNCLEAR,
    exitCode: 2,
    outcome: 'no-verdict',
    state: 'error',
    says: /how to feed the model is not known.*input "ids"/,
  },
  'the same where noise is accepted': {
    change: UNCLEAR,
    inputs: { 'on-no-verdict': 'pass' },
    exitCode: 2,
    outcome: 'no-verdict',
    state: 'error',
    says: /how to feed the model is not known/,
  },
  'a config with an unknown key': {
    change: configOf('version: 1\nmodel: []\n'),
    exitCode: 3,
    outcome: 'refused',
    state: 'error',
    says: /### ⛔ Model Gate: refused.*\.github\/model-gate\.yml.*did you mean "models"/s,
  },
  'a config that is asked for and not there': {
    change: BROKEN,
    inputs: { config: 'gate.yml' },
    exitCode: 3,
    outcome: 'refused',
    state: 'error',
    says: /the config "gate\.yml" does not exist/,
  },
  'a base that is no commit': {
    change: BROKEN,
    inputs: { 'base-ref': 'no-such-branch' },
    exitCode: 3,
    outcome: 'refused',
    state: 'error',
    says: /the base "no-such-branch" is no commit, branch or tag/,
  },
  'an engine that is not where it is said to be': {
    change: BROKEN,
    inputs: { 'onnxruntime-path': '/nowhere' },
    exitCode: 3,
    outcome: 'refused',
    state: 'error',
    says: /onnxruntime-path \/nowhere holds no onnxruntime-node/,
  },
  'files that may change speed': {
    change: { base: BROKEN.base, head: { Dockerfile: 'FROM scratch\n' } },
    exitCode: 0,
    outcome: 'pass',
    state: 'success',
    says: /not measured: these files may change speed: Dockerfile/,
  },
  'the same before a launch': {
    change: { base: { [CONFIG]: 'version: 1\n' }, head: { Dockerfile: 'FROM scratch\n' } },
    inputs: { launch: 'true' },
    exitCode: 2,
    outcome: 'no-verdict',
    state: 'error',
    says: /not measured: these files may change speed: Dockerfile/,
  },
};

describe('dist/index.js on a pull request', () => {
  let server: GitHubServer;
  beforeEach(async () => {
    server = await startGitHubServer();
  });
  afterEach(() => server.close());

  async function gate(change: DemoChange, inputs: Readonly<Record<string, string>> = {}): Promise<ActionResult> {
    const demo = createDemoRepository(change);
    try {
      demo.announce(server.state);
      const event = eventOf('pull_request.opened', demo.commits);
      const result = await runAction({
        folder: demo.folder,
        workspace: demo.checkOut(MERGE_REF).root,
        event,
        inputs,
        server,
      });
      return { ...result, ...keep(result) };
    } finally {
      demo.remove();
    }
  }

  it.each(Object.entries(CASES))('answers %s', async (_, { change, inputs, exitCode, outcome, state, says }) => {
    const result = await gate(change, inputs);
    expect(result).toMatchObject({ exitCode, stderr: '', outputs: { outcome } });
    expect(server.state.statuses.at(-1)?.state).toBe(state);
    expect(result.summary).toMatch(says);
    expect(server.state.comments.map(({ body }) => body)).toEqual([expect.stringMatching(says)]);
    expect(result.resultFile('verdict.json') === null).toBe(outcome === 'refused');
    expect(server.violations).toEqual([]);
  });

  it.each([
    [{ enforce: 'no' }, 'input enforce: expected true or false'],
    [{ command: 'gat' }, 'did you mean "gate"'],
    [{ shard: '5/4' }, 'expected a shard such as 2/4'],
    [{ 'pr-number': '-1' }, 'input pr-number: expected a whole number from 1'],
  ])('refuses the inputs %j before it asks anybody', async (inputs, reason) => {
    const result = await gate(BROKEN, inputs);
    expect(result).toMatchObject({ exitCode: 3, outputs: { outcome: 'refused' } });
    expect(result.commands).toEqual([expect.stringContaining(reason)]);
    expect(server.requests).toEqual([]);
  });
});

/** Files are read before the demo is removed. */
function keep(result: ActionResult): Pick<ActionResult, 'resultFile'> {
  const text = result.resultFile('verdict.json');
  return { resultFile: (name) => (name === 'verdict.json' ? text : null) };
}
