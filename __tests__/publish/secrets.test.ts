import { describe, expect, it } from '@jest/globals';
import { withoutSecrets } from '../../src/changes/prepare-command.ts';
import { workerEnvironment } from '../../src/measure/worker-environment.ts';
import { openWorld, publicationOf } from './publishing.ts';

/** What a runner's job holds, with a canary in everything that gives rights or reaches later steps. */
const CANARY = 'ghs_canary';
const JOB: Record<string, string> = {
  PATH: '/usr/bin',
  HOME: '/home/runner',
  CUDA_HOME: '/usr/local/cuda',
  LD_LIBRARY_PATH: '/usr/local/lib',
  'INPUT_GITHUB-TOKEN': CANARY,
  GITHUB_TOKEN: CANARY,
  GH_TOKEN: CANARY,
  ACTIONS_RUNTIME_TOKEN: CANARY,
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: CANARY,
  ACTIONS_ID_TOKEN_REQUEST_URL: CANARY,
  ACTIONS_CACHE_URL: CANARY,
  AWS_SECRET_ACCESS_KEY: CANARY,
  AWS_SESSION_TOKEN: CANARY,
  NPM_TOKEN: CANARY,
  HF_TOKEN: CANARY,
  GIT_ASKPASS: CANARY,
  CUDA_SECRET: CANARY,
  GITHUB_ENV: CANARY,
  GITHUB_OUTPUT: CANARY,
  GITHUB_PATH: CANARY,
  GITHUB_STATE: CANARY,
  GITHUB_STEP_SUMMARY: CANARY,
};

describe('secrets of the job', () => {
  it.each([
    ['a worker', workerEnvironment(JOB, { CUDA_VISIBLE_DEVICES: 'GPU-1' })],
    ['a prepare command', withoutSecrets(JOB)],
  ])('do not reach the environment of %s, nor do ways to later steps', (_, environment) => {
    expect(Object.entries(environment).filter(([, value]) => value === CANARY)).toEqual([]);
    expect(environment).toMatchObject({ PATH: '/usr/bin', HOME: '/home/runner', CUDA_HOME: '/usr/local/cuda' });
  });

  it('appear in the log only as the command that masks them', async () => {
    const world = await openWorld();
    world.server.state.tokens.set(CANARY, { login: 'x', permissions: new Set() });
    world.server.plan({ path: /comments/, answer: 403, message: `token ${CANARY} lacks a permission`, times: 9 });
    await world.publisherOf({ token: CANARY }).publish(publicationOf());
    const lines = world
      .printed()
      .split('\n')
      .filter((line) => line.includes(CANARY));
    expect(lines[0]).toBe(`::add-mask::${CANARY}`);
    expect(lines).toHaveLength(1);
    expect(await world.summary()).not.toContain(CANARY);
    await world.close();
  });
});
