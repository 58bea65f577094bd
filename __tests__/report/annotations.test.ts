import { describe, expect, it } from '@jest/globals';
import { annotationsOf } from '../../src/report/annotations.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { hostileVerdict, largeVerdict } from './hard-verdicts.ts';
import { HOSTILE_CASES } from './hostile-texts.ts';

describe('annotations', () => {
  it('name the rows that decided, with figures and reason', () => {
    expect(annotationsOf(buildRegression())).toEqual([
      {
        level: 'error',
        title: 'Model Gate: ranker cuda b32 · latency p50',
        message: 'regressed: 4.02 → 4.35 ms, +8.1 % (+6.9 … +9.3), allowed 3 %. proven beyond 3 % in 13 restarts',
      },
      {
        level: 'error',
        title: 'Model Gate: ranker cuda b32 · latency p95',
        message:
          'not yet proven: 4.40 → 4.71 ms, +7.0 % (+3.1 … +9.9), allowed 5 %. slower, not yet proven among 3 rows',
      },
    ]);
  });

  it('are warnings where the gate is not enforced, the verdict passes or the row is advisory', () => {
    const advisory = buildRow({ role: 'advisory', status: 'regressed', proven: 'worse' });
    const undecided = buildRow({ status: 'inconclusive' });
    const levels = [
      annotationsOf(buildRegression(), { enforced: false }),
      annotationsOf(buildVerdict([undecided])),
      annotationsOf(buildVerdict([advisory, buildRow({ status: 'regressed' })], { outcome: 'fail' })).slice(1),
    ].flat();
    expect(levels.map((annotation) => annotation.level)).toEqual(['warning', 'warning', 'warning', 'warning']);
  });

  it('are none for a quiet pass and one for a verdict without rows', () => {
    expect(annotationsOf(buildVerdict([buildRow()]))).toEqual([]);
    const notes = [{ code: 'x', text: 'models[0].pth is unknown' }];
    expect(annotationsOf(buildVerdict([], { outcome: 'refused', notes }))).toEqual([
      { level: 'error', title: 'Model Gate', message: 'refused: models[0].pth is unknown' },
    ]);
  });

  it('are ten at most, the worst first, the last one counting the rest', () => {
    const annotations = annotationsOf(largeVerdict(1000));
    expect(annotations).toHaveLength(10);
    expect(annotations[0]?.title).toContain('model-990');
    expect(annotations[9]?.message).toBe('91 more rows to look at: see the job summary');
  });

  it.each(HOSTILE_CASES)('are single clean lines for %s', (_, text) => {
    for (const { title, message } of annotationsOf(hostileVerdict(text))) {
      expect(title.length).toBeLessThanOrEqual(160);
      expect(message.length).toBeLessThanOrEqual(600);
      expect(title + message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    }
  });
});
