import type { z } from 'zod';
import type { ConfigFault } from './config-checks.ts';
import { keysAt } from './config-schema.ts';
import { didYouMean, quoteName } from './suggestion.ts';

type Issue = z.core.$ZodIssue;

/** One fault in words from one issue of the schema; `path` leads to the key or value that is wrong. */
export function describeIssue(issue: Issue, path: ConfigFault['path']): ConfigFault {
  switch (issue.code) {
    case 'unrecognized_keys': {
      const key = issue.keys[0] ?? '';
      const known = keysAt(path);
      const near = didYouMean(key, known);
      const hint = near === '' && known.length > 0 ? `; known here: ${known.join(', ')}` : near;
      return { path: [...path, key], text: `unknown key ${quoteName(key)}${hint}` };
    }
    case 'invalid_union': {
      const branch = likeliestBranch(issue.errors);
      const inner = branch[0];
      if (!inner) return { path, text: issue.message };
      return describeIssue(inner, [...path, ...inner.path.map((part) => part as string | number)]);
    }
    case 'invalid_value':
      return { path, text: issue.input === undefined ? 'is missing' : describeChoice(issue) };
    case 'invalid_type':
      return { path, text: issue.input === undefined ? 'is missing' : issue.message.replace(/^Invalid input: /, '') };
    default:
      return { path, text: issue.message };
  }
}

/** Issues of the branch that fits best: one that got past the type of the value itself, else the last. */
function likeliestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const best = branches.find((issues) => !missesType(issues)) ?? branches.at(-1) ?? [];
  return [...best].sort((a, b) => rank(a) - rank(b));
}

function missesType(issues: readonly Issue[]): boolean {
  return issues.some(
    (issue) =>
      issue.path.length === 0 &&
      (issue.code === 'invalid_type' || (issue.code === 'invalid_union' && issue.errors.every(missesType))),
  );
}

/** A key that is misspelt explains the one that is missing. */
function rank(issue: Issue): number {
  return issue.code === 'unrecognized_keys' ? 0 : 1;
}

function describeChoice(issue: Extract<Issue, { code: 'invalid_value' }>): string {
  const choices = issue.values.map((value) => JSON.stringify(value));
  const got = typeof issue.input === 'string' ? didYouMean(issue.input, issue.values.map(String)) : '';
  return `expected ${choices.length === 1 ? '' : 'one of '}${choices.join(', ')}${got}`;
}
