import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseMarker } from '../../src/publish/comment-marker.ts';
import {
  COMMENT_BUDGET,
  COMMENT_LIMIT,
  type Comment,
  planComment,
  shortenMarkdown,
  type WantedComment,
} from '../../src/publish/plan-comment.ts';
import type { CommentMode, PublishedOutcome } from '../../src/publish/publisher.ts';

const AUTHOR = 'github-actions[bot]';
const shaOf = (head: number) => head.toString(16).padStart(40, '0');

function wantedOf(change: Partial<WantedComment> = {}): WantedComment {
  return {
    context: 'model-gate',
    mode: 'always',
    headSha: shaOf(1),
    currentHead: shaOf(1),
    runId: '100',
    runAttempt: 1,
    outcome: 'pass',
    models: 'changed',
    body: 'body',
    ...change,
  };
}

/** Comments after the plan was carried out. */
function carryOut(comments: readonly Comment[], wanted: WantedComment): Comment[] {
  const { write, remove } = planComment(comments, AUTHOR, wanted);
  const left = comments.filter(({ id }) => !remove.includes(id));
  switch (write.kind) {
    case 'none':
      return left;
    case 'update':
      return left.map((comment) => (comment.id === write.id ? { ...comment, body: write.body } : comment));
    case 'create': {
      const id = Math.max(0, ...comments.map((comment) => comment.id)) + 1;
      return [...left, { id, author: AUTHOR, body: write.body, url: `#${id}` }];
    }
  }
}

const outcome = fc.constantFrom<PublishedOutcome>('pass', 'fail', 'no-verdict', 'refused', 'cancelled');
/** Runs of one pull request: every head has later run ids than the head before, as GitHub gives them. */
const runs = fc
  .array(fc.record({ outcome, attempts: fc.integer({ min: 1, max: 3 }), head: fc.integer({ min: 1, max: 4 }) }), {
    minLength: 1,
    maxLength: 8,
  })
  .map((list) =>
    list
      .sort((a, b) => a.head - b.head)
      .flatMap(({ outcome: verdict, attempts, head }, index) =>
        Array.from({ length: attempts }, (_, attempt) => ({
          head,
          outcome: verdict,
          runId: String(100 + index),
          runAttempt: attempt + 1,
        })),
      ),
  );
const shuffledRuns = runs.chain((list) =>
  fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
);
const strangers = fc.array(fc.record({ author: fc.constantFrom(AUTHOR, 'ann', null), body: fc.string() }), {
  maxLength: 4,
});

describe('the plan for the comment', () => {
  it('leaves one comment that tells of the current head, in whatever order the runs finish', () => {
    fc.assert(
      fc.property(shuffledRuns, strangers, (finished, others) => {
        const current = Math.max(...finished.map(({ head }) => head));
        let comments: Comment[] = others.map((other, index) => ({ ...other, id: index + 1, url: '' }));
        for (const { head, ...run } of finished)
          comments = carryOut(comments, wantedOf({ ...run, headSha: shaOf(head), currentHead: shaOf(current) }));
        const own = comments.map(({ body }) => parseMarker(body)).filter((marker) => marker !== null);
        expect(own.map(({ headSha }) => headSha)).toEqual([shaOf(current)]);
        expect(comments).toHaveLength(others.length + 1);
      }),
    );
  });

  it('tells of the head with the newest run where the current head is not known', () => {
    fc.assert(
      fc.property(shuffledRuns, (finished) => {
        let comments: Comment[] = [];
        for (const { head, ...run } of finished)
          comments = carryOut(comments, wantedOf({ ...run, headSha: shaOf(head), currentHead: null }));
        const newest = Math.max(...finished.map(({ head }) => head));
        expect(comments.map(({ body }) => parseMarker(body)?.headSha)).toEqual([shaOf(newest)]);
      }),
    );
  });

  it('counts every attempt on a head once, though it is published twice', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (attempts) => {
        let comments: Comment[] = [];
        for (const runAttempt of attempts) comments = carryOut(comments, wantedOf({ runAttempt }));
        const marker = parseMarker(comments[0]?.body ?? '');
        expect(marker?.attempts).toHaveLength(new Set(attempts).size);
        expect(marker?.attempts.at(-1)?.runAttempt).toBe(attempts.at(-1));
      }),
    );
  });

  it('gathers the attempts of doubles before it removes them', () => {
    const bodyOf = (runId: string) => planBody(wantedOf({ runId, outcome: 'fail' }));
    const doubles = ['100', '101'].map((runId, index) => ({
      id: index + 1,
      author: AUTHOR,
      body: bodyOf(runId),
      url: '',
    }));
    const [left, ...more] = carryOut(doubles, wantedOf({ runId: '102' }));
    expect(more).toEqual([]);
    expect(left?.body).toContain('attempt 3 on this head; earlier: fail, fail');
  });

  it('says nothing where a cancelled run comes after a newer run of the same head', () => {
    const spoken = carryOut([], wantedOf({ runId: '101' }));
    expect(planComment(spoken, AUTHOR, wantedOf({ runId: '100', outcome: 'cancelled' })).write.kind).toBe('none');
    expect(planComment(spoken, AUTHOR, wantedOf({ runId: '102', outcome: 'cancelled' })).write.kind).toBe('update');
  });

  it('writes nothing twice', () => {
    const once = carryOut([], wantedOf());
    expect(planComment(once, AUTHOR, wantedOf()).write).toMatchObject({ kind: 'none', reason: 'already says this' });
  });

  it.each<[CommentMode, PublishedOutcome, 'changed' | 'none', 'create' | 'none']>([
    ['always', 'pass', 'none', 'create'],
    ['always', 'fail', 'changed', 'create'],
    ['on-change', 'pass', 'none', 'none'],
    ['on-change', 'pass', 'changed', 'create'],
    ['on-change', 'no-verdict', 'none', 'create'],
    ['on-failure', 'pass', 'changed', 'none'],
    ['on-failure', 'fail', 'changed', 'create'],
    ['on-failure', 'no-verdict', 'none', 'create'],
    ['on-failure', 'cancelled', 'changed', 'create'],
    ['never', 'fail', 'changed', 'none'],
  ])('in mode %s, of a first %s with models %s: %s', (mode, verdict, models, kind) => {
    expect(planComment([], AUTHOR, wantedOf({ mode, outcome: verdict, models })).write.kind).toBe(kind);
  });

  it.each<[CommentMode, 'update' | 'none']>([
    ['on-change', 'update'],
    ['on-failure', 'update'],
    ['never', 'none'],
  ])('in mode %s, of a comment that has become untrue: %s', (mode, kind) => {
    const red = carryOut([], wantedOf({ outcome: 'fail' }));
    const green = wantedOf({ mode, runAttempt: 2, models: 'none' });
    expect(planComment(red, AUTHOR, green).write.kind).toBe(kind);
  });
});

describe('the size of the comment', () => {
  it.each([COMMENT_BUDGET, COMMENT_LIMIT, 1_000_000])(
    'stays within what GitHub takes for a body of %d characters',
    (size) => {
      let comments: Comment[] = [];
      for (let attempt = 1; attempt <= 60; attempt++) {
        const body = `${'| a row |\n'.repeat(size / 10)}`;
        comments = carryOut(
          comments,
          wantedOf({
            runId: '17000000000',
            runAttempt: attempt,
            body,
            context: 'a context of 100 characters '.repeat(4).slice(0, 100),
          }),
        );
      }
      const text = comments[0]?.body ?? '';
      expect(text.length).toBeLessThanOrEqual(COMMENT_LIMIT);
      expect(text).toMatch(/attempt \d+ on this head; earlier: …, pass, pass, pass, pass, pass<\/sub>$/);
      expect(text.includes('… shortened')).toBe(size > COMMENT_BUDGET);
    },
  );

  it('is cut at the end of a line', () => {
    expect(shortenMarkdown(`${'x'.repeat(50)}\n${'y'.repeat(100)}`, 120)).toMatch(/^x{50}\n\n… shortened/);
  });
});

function planBody(wanted: WantedComment): string {
  const { write } = planComment([], AUTHOR, wanted);
  return write.kind === 'create' ? write.body : '';
}
