/**
 * An input, file or call the gate refuses: outcome `refused`, exit code 3.
 * The message is one line: what, where, what to do.
 */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

/**
 * Something that had to be judged could not be: outcome `no-verdict`, exit code 2.
 * The message is one line: what, where, what to do.
 */
export class NoVerdictError extends Error {
  override readonly name = 'NoVerdictError';
}

/** A person or the runner asked to stop: no verdict, exit code 130. */
export class CancelledError extends Error {
  override readonly name = 'CancelledError';
  constructor() {
    super('cancelled');
  }
}

/** Exit code of a cancelled run, as a shell gives it for SIGINT. */
export const EXIT_CANCELLED = 130;

/** Text of anything thrown, of any type; one line, for people. */
export function describeThrown(thrown: unknown): string {
  if (thrown instanceof Error) return thrown.message || thrown.name;
  return typeof thrown === 'string' && thrown !== '' ? thrown : `unknown failure (${String(thrown)})`;
}
