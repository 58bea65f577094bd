import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const named = [
  ...readFileSync('docs/threat-model.md', 'utf8').matchAll(/`([a-z-]+\/[a-z-]+\.test\.ts)(?:: ([^`]+))?`/g),
].map(([, file = '', name = 'describe(']) => ({ file, name }));

describe('the threat model', () => {
  it('names a test for every claim', () => {
    expect(named.length).toBeGreaterThan(30);
  });

  it.each(named)('$file has "$name"', ({ file, name }) => {
    const source = readFileSync(join('__tests__', file), 'utf8').replaceAll("\\'", "'");
    expect(source).toContain(name);
  });
});
