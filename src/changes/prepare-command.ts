import { RefusedError } from '../errors.ts';
import { quoteName } from '../inputs/suggestion.ts';

const SAFE_WORD = /^[A-Za-z0-9_./+=@%,:-]+$/;
/** Git's ask programs hold or fetch passwords; runner variables hand out tokens or command files of later steps. */
const WITHHELD =
  /^(GITHUB_TOKEN|GH_TOKEN|ACTIONS_.*|INPUT_.*|GIT_ASKPASS|SSH_ASKPASS|GITHUB_(ENV|OUTPUT|PATH|STATE|STEP_SUMMARY))$/;
const SECRET = /(TOKEN|SECRET|PASSW|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY)/i;

/**
 * The command with `{output}` and `{model}` filled in.
 * @throws RefusedError for a file name that a shell could take for more than a word.
 */
export function fillCommand(command: string, output: string, model: string | null): string {
  for (const word of [output, model ?? ''])
    if (word !== '' && (!SAFE_WORD.test(word) || word.startsWith('-')))
      throw new RefusedError(`the file name ${quoteName(word)} can't be put into a command safely: rename it`);
  return command.replaceAll('{output}', output).replaceAll('{model}', model ?? '');
}

/** The environment of a command that runs the change's own code: no tokens, no secrets, no way to later steps. */
export function withoutSecrets(environment: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(environment).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !WITHHELD.test(entry[0]) && !SECRET.test(entry[0]),
  );
  return Object.fromEntries(kept);
}
