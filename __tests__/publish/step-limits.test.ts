import { describe, expect, it } from '@jest/globals';
import { fitAnnotations, fitSummary, SUMMARY_LIMIT_BYTES } from '../../src/publish/step-limits.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

describe('the summary', () => {
  it('is left alone under 1 MiB', () => {
    expect(fitSummary('# all\n', 0)).toBe('# all\n');
  });

  it.each([0, 1000, SUMMARY_LIMIT_BYTES - 2000])(
    'of 1.2 MB keeps its first lines and says so, with %d bytes used',
    (usedBytes) => {
      const summary = `# 1 regression in 12 checks\n${'| ümlaut 😀 row |\n'.repeat(60_000)}`;
      const fitted = fitSummary(summary, usedBytes);
      expect(bytesOf(fitted) + usedBytes).toBeLessThan(SUMMARY_LIMIT_BYTES);
      expect(fitted).toMatch(/^# 1 regression in 12 checks\n[\s\S]*😀 row \|\n\n… shortened: .*\n$/);
      expect(fitted).not.toContain('\ufffd');
    },
  );

  it('is empty where the step has used all its room', () => {
    expect(fitSummary('# all\nand more\n', SUMMARY_LIMIT_BYTES)).toBe('');
  });
});

describe('annotations', () => {
  const many = (count: number, level: 'error' | 'warning') =>
    Array.from({ length: count }, (_, index) => ({ level, title: `t${index}`, message: `m${index}` }));

  it('are all shown up to ten of a level', () => {
    expect(fitAnnotations([...many(10, 'warning'), ...many(10, 'error')])).toHaveLength(20);
  });

  it('count those that are not shown', () => {
    const shown = fitAnnotations(many(25, 'error'));
    expect(shown).toHaveLength(10);
    expect(shown.at(-1)?.message).toBe('and 16 more, see the job summary');
  });
});
