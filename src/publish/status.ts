import type { CommitStatus } from './github-api.ts';
import type { Publication } from './publisher.ts';

/** GitHub refuses longer descriptions with 422. */
const DESCRIPTION_LIMIT = 140;

export const PENDING_STATUS: CommitStatus = {
  state: 'pending',
  description: 'measuring the models this change touches',
};

/** The commit status of a publication: one plain line of at most 140 characters. */
export function statusOf({ state, headline }: Publication): CommitStatus {
  return { state, description: fitDescription(headline) };
}

/** `text` on one line, without control characters, in at most 140 UTF-16 units. */
export function fitDescription(text: string): string {
  const line = text.replace(/[\s\p{C}]+/gu, ' ').trim();
  if (line.length <= DESCRIPTION_LIMIT) return line;
  const kept = [...line].reduce(
    (sofar, character) => (sofar.length + character.length < DESCRIPTION_LIMIT ? sofar + character : sofar),
    '',
  );
  return `${kept.trimEnd()}…`;
}
