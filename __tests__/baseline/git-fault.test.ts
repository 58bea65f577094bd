import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeGitFailure, readPush } from '../../src/baseline/git-fault.ts';
import { retryDelayMs } from '../../src/baseline/retry-delay.ts';

const push = (stdout: string, stderr = '', code = 1) => readPush({ code, stdout, stderr });
const rejection = (why: string) => `To origin\n!\tabc:refs/heads/b\t${why}\nDone\n`;

describe('outcome of a push', () => {
  it.each([
    ['[rejected] (stale info)', 'lost-race'],
    ['[rejected] (fetch first)', 'lost-race'],
    ['[rejected] (non-fast-forward)', 'lost-race'],
    ['[remote rejected] (failed to update ref)', 'lost-race'],
    ["[remote rejected] (cannot lock ref 'refs/heads/b': is at 1 but expected 2)", 'lost-race'],
    ['[remote rejected] (incorrect old value provided)', 'lost-race'],
    ['[remote rejected] (reference already exists)', 'lost-race'],
    ['[remote rejected] (pre-receive hook declined)', 'denied'],
    ['[remote rejected] (protected branch hook declined)', 'denied'],
    ['[remote rejected] (unpacker error)', 'denied'],
    ['[remote failure] (remote failed to report status)', 'denied'],
  ])('%s is %s', (why, kind) => {
    expect(push(rejection(why)).kind).toBe(kind);
  });

  it.each([
    [
      'remote: Permission to a/b.git denied to github-actions[bot].\nfatal: The requested URL returned error: 403',
      'denied',
    ],
    ['fatal: Authentication failed for https://github.com/a/b/', 'denied'],
    ["fatal: could not read Username for 'https://github.com': terminal prompts disabled", 'denied'],
    ['fatal: the remote end hung up unexpectedly', 'transient'],
    ['fatal: unable to access https://x/: Could not resolve host: x', 'transient'],
    ['', 'transient'],
  ])('without a status line, %j is %s', (stderr, kind) => {
    expect(push('', stderr).kind).toBe(kind);
  });

  it('is done where git says so', () => {
    expect(push('', '', 0)).toEqual({ kind: 'done' });
  });
});

it('makes one printable line of any text, without credentials', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = describeGitFailure(`${text}\nremote: see https://me:pass@host/x\u001b[0m\n`);
      expect(line).toMatch(/^[\x20-\x7e]{0,300}…?$/);
      expect(line).not.toContain('pass@');
    }),
  );
});

it('waits at random up to a bound that grows to 8 s', () => {
  expect([1, 2, 5, 50].map((attempt) => retryDelayMs(attempt, 0.999999))).toEqual([400, 800, 6400, 8000]);
  expect(retryDelayMs(7, 0)).toBe(0);
});
