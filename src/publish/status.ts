import { cleanText } from '../report/escape.ts';
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

/** `text` on one line of visible characters, at most 140 of them. */
export function fitDescription(text: string): string {
  return cleanText(text, DESCRIPTION_LIMIT);
}
