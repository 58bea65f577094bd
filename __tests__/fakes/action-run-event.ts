import { readFileSync } from 'node:fs';
import type { DemoCommits } from './demo-repository.ts';

const STAND_INS = {
  head: '1f0c2a6f5d6b7c8e9a0b1c2d3e4f5a6b7c8d9e0f',
  base: '9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b',
  merge: 'c'.repeat(40),
} as const;

/** An event fixture with the commits of a real repository, and its name as `GITHUB_EVENT_NAME`. */
export function eventOf(
  fixture: string,
  commits: Pick<DemoCommits, keyof typeof STAND_INS>,
): { readonly name: string; readonly payload: Record<string, unknown> } {
  let text = readFileSync(`__tests__/fixtures/events/${fixture}.json`, 'utf8');
  for (const [name, standIn] of Object.entries(STAND_INS))
    text = text.replaceAll(standIn, commits[name as keyof typeof STAND_INS]);
  return { name: fixture.split('.')[0] ?? '', payload: JSON.parse(text) };
}
