import { printable } from './printable.ts';

/** What a finished git command left. */
export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** What became of a push. `lost-race`: another writer was faster; `transient`: worth another try. */
export type PushOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'lost-race' }
  | { readonly kind: 'transient'; readonly detail: string }
  | { readonly kind: 'denied'; readonly detail: string };

const LOST_RACE =
  /stale info|fetch first|non-fast-forward|cannot lock ref|failed to update ref|failed to lock|incorrect old value|reference already exists/i;
const DENIED =
  /\b(401|403)\b|permission denied|denied to|access denied|authentication failed|could not read Username|not authorized|write access|read-?only|protected branch|pre-receive hook|hook declined|GH006|GH013|deny|prohibited/i;

/** Reads the outcome of `git push --porcelain` of one ref. */
export function readPush({ code, stdout, stderr }: GitResult): PushOutcome {
  if (code === 0) return { kind: 'done' };
  const rejection = /^!\t[^\t]*\t\[(remote )?(?:rejected|failure)\] ?\(?(.*?)\)?$/m.exec(stdout);
  const why = rejection?.[2] ?? '';
  if (LOST_RACE.test(why)) return { kind: 'lost-race' };
  const detail = [why, describeGitFailure(stderr)].filter((part) => part !== '').join(': ');
  const isDenied = rejection !== null || DENIED.test(stderr);
  return isDenied ? { kind: 'denied', detail: publicLine(detail) } : { kind: 'transient', detail: publicLine(detail) };
}

/** The telling lines of git's stderr in one printable line: what the server said, else git's own fault; no credentials. */
export function describeGitFailure(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).map((line) => line.trim());
  const remote = lines.filter((line) => line.startsWith('remote:')).map((line) => line.slice('remote:'.length).trim());
  const own = lines.filter((line) => /^(fatal|error):/.test(line));
  const telling = [...remote.filter((line) => line !== ''), ...own];
  return publicLine((telling.length > 0 ? telling : lines.filter((line) => line !== '').slice(-2)).join('; '));
}

/** True where the failure says that access was denied, so that another try can't help. */
export function isDenied(stderr: string): boolean {
  return DENIED.test(stderr);
}

/** One line without user names and passwords of URLs. */
function publicLine(text: string): string {
  return printable(text.replace(/\/\/[^/@\s]+@/g, '//***@').replace(/[\r\n]+/g, ' '), 300);
}
