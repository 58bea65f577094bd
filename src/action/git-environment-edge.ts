import { tryGit } from '../changes/git-process-edge.ts';

const HEADER = '^http\\..*\\.extraheader$';

/**
 * Git's environment with the step's token for this server alone, so that a store on a branch can be read where
 * `persist-credentials` is false. Git reads it from here: it is written nowhere, and no worker gets it.
 */
export async function gitEnvironment(root: string, token: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const server = env['GITHUB_SERVER_URL'];
  // The server refuses two such headers: the checkout's own wins.
  const hasOwn = (await tryGit(root, ['config', '--get-regexp', HEADER])).exitCode === 0;
  if (token === '' || server === undefined || hasOwn) return env;
  const count = Number(env['GIT_CONFIG_COUNT'] ?? 0);
  const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    ...env,
    GIT_CONFIG_COUNT: String(count + 1),
    [`GIT_CONFIG_KEY_${count}`]: `http.${server}/.extraheader`,
    [`GIT_CONFIG_VALUE_${count}`]: `AUTHORIZATION: basic ${basic}`,
  };
}
