import { getInput } from '@actions/core';
import { type ActionInputs, parseActionInputs } from './action-inputs.ts';

/**
 * The inputs of the running step.
 * @throws RefusedError naming each wrong input.
 */
export function readActionInputs(): ActionInputs {
  return parseActionInputs((name) => getInput(name));
}
