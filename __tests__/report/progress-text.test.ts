import { describe, expect, it } from '@jest/globals';
import { decidedText, plannedText, preparingText, restartText } from '../../src/report/progress-text.ts';

describe('progress texts', () => {
  const progress = { case: 'ranker/cpu/b32/c1', restart: 4, next: 6, last: 41, secondsLeft: 80 };

  it.each([
    [restartText(progress), 'ranker cpu b32 · restart 4 of 6–41 · 1 min 20 s left'],
    [restartText({ ...progress, next: 41, secondsLeft: null }), 'ranker cpu b32 · restart 4 of 41'],
    [preparingText('ranker/cpu/b32/c1', 'staging both arms'), 'ranker cpu b32 · preparing: staging both arms'],
    [decidedText('ranker/cpu/b32/c1', 9, 'pass'), 'ranker cpu b32 · decided after 9 restarts: pass'],
    [plannedText(12, 3, 240, 1200), '12 cases of 3 models · 4 min to 20 min'],
    [plannedText(1, 1, 20, 20), '1 case of 1 model · 20 s'],
  ])('%s', (text, expected) => {
    expect(text).toBe(expected);
  });

  it('hold no line break and no workflow command of a name', () => {
    expect(restartText({ ...progress, case: 'a\n::error::x##[error]' })).toBe(
      'a : :error: :x## [error] · restart 4 of 6–41 · 1 min 20 s left',
    );
  });
});
