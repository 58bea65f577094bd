import { describe, expect, it } from '@jest/globals';
import { type ApiFailure, HURRIED, PATIENT, retryDelayMs } from '../../src/publish/retry-policy.ts';

const NOW_S = 1_800_000_000;

function failureOf(change: Partial<ApiFailure>): ApiFailure {
  return {
    method: 'GET',
    path: '/repos/acme/ranking/issues/7/comments',
    status: 500,
    message: '',
    retryAfterS: null,
    rateLimitRemaining: null,
    rateLimitResetS: null,
    ...change,
  };
}

describe('repeating a call of the GitHub API', () => {
  it.each<[string, Partial<ApiFailure>, (number | null)[]]>([
    ['a failed read', {}, [1000, 4000, 9000, null]],
    ['a dropped read', { status: null }, [1000, 4000, 9000, null]],
    ['a failed update', { method: 'PATCH' }, [1000, 4000, 9000, null]],
    ['a dropped deletion', { method: 'DELETE', status: null }, [1000, 4000, 9000, null]],
    ['a failed creation of a comment', { method: 'POST' }, [null]],
    ['a dropped creation of a comment', { method: 'POST', status: null }, [null]],
    ['a failed status', { method: 'POST', path: '/repos/acme/ranking/statuses/abc' }, [1000]],
    ['a failed query', { method: 'POST', path: '/api/graphql' }, [1000]],
    ['a creation beyond the limit', { method: 'POST', status: 429, retryAfterS: 5 }, [5000]],
    ['no right', { status: 403 }, [null]],
    ['not found', { status: 404 }, [null]],
    ['a wrong request', { status: 422 }, [null]],
    ['a bad token', { status: 401 }, [null]],
    ['the primary limit', { status: 403, rateLimitRemaining: 0, rateLimitResetS: NOW_S + 10 }, [11_000]],
    ['the primary limit, its end just past', { status: 403, rateLimitRemaining: 0, rateLimitResetS: NOW_S - 10 }, [0]],
    ['the primary limit for an hour', { status: 403, rateLimitRemaining: 0, rateLimitResetS: NOW_S + 3600 }, [null]],
    ['the secondary limit', { status: 403, message: 'You have exceeded a secondary rate limit.' }, [60_000]],
    ['a limit that asks for an hour', { status: 429, retryAfterS: 3600 }, [null]],
  ])('waits for %s as it should', (_, change, waits) => {
    expect(waits.map((_wait, index) => retryDelayMs(failureOf(change), index + 1, NOW_S, PATIENT))).toEqual(waits);
  });

  it('does not wait long in a cancelled job', () => {
    expect([1, 2].map((attempt) => retryDelayMs(failureOf({}), attempt, NOW_S, HURRIED))).toEqual([1000, null]);
  });
});
