import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatMarker, parseMarker } from '../../src/publish/comment-marker.ts';
import type { PublishedOutcome } from '../../src/publish/publisher.ts';

const outcome = fc.constantFrom<PublishedOutcome>('pass', 'fail', 'no-verdict', 'refused', 'cancelled');
const HEAD = 'a'.repeat(40);

describe('the marker', () => {
  const attempt = fc.record({
    runId: fc.bigInt({ min: 0n, max: 10n ** 15n }).map(String),
    runAttempt: fc.integer({ min: 1, max: 999_999 }),
    outcome,
  });
  const sha = fc.stringMatching(/^[0-9a-f]{40}$/);

  it('is read back as it was written, whatever the context holds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        sha,
        fc.array(attempt, { maxLength: 40 }),
        (context, headSha, attempts) => {
          const marker = { context, headSha, attempts };
          const line = formatMarker(marker);
          expect(parseMarker(`${line}\nbody`)).toEqual(marker);
          expect(line.indexOf('-->')).toBe(line.length - 3);
          expect(line).not.toMatch(/[\n\r]/);
        },
      ),
    );
  });

  it.each([
    '',
    'text',
    ' <!-- model-gate context=a head=b attempts= -->',
    `x\n${formatMarker({ context: 'a', headSha: HEAD, attempts: [] })}`,
    `${formatMarker({ context: 'a', headSha: HEAD, attempts: [] })} and more`,
  ])('is not found in %j', (body) => {
    expect(parseMarker(body)).toBeNull();
  });
});
