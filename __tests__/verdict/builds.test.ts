import { describe, expect, it } from '@jest/globals';
import { judgeCase, restartsOf, rowOf } from './measurement-text.ts';

const slower = (builds?: number) =>
  judgeCase(
    { restarts: restartsOf('latency.p50', 1, 9) },
    { restarts: restartsOf('latency.p50', 1.2, 9), ...(builds === undefined ? {} : { entry: { builds } }) },
  );

describe('builds that do not repeat', () => {
  it.each([
    [1, '1 build per arm'],
    [5, '5 builds per arm'],
  ])('%i per arm leave even a plain regression open, with the way out', (builds, text) => {
    const verdict = slower(builds);
    const row = rowOf(verdict, 'latency.p50');
    expect(verdict.outcome).toBe('no-verdict');
    expect(row).toMatchObject({ status: 'inconclusive', proven: null, furtherRestarts: null });
    expect(row.change).toBeCloseTo(0.2, 3);
    expect(row.reason).toContain(text);
    expect(row.reason).toContain('builds: 6');
  });

  it.each([[6], [undefined]])('%s are judged as ever', (builds) => {
    expect(slower(builds).outcome).toBe('fail');
  });

  it('leave shown rows shown', () => {
    const values = { restarts: restartsOf('latency.mean', 1, 6) };
    const verdict = judgeCase(values, { ...values, entry: { builds: 2 } });
    expect(rowOf(verdict, 'latency.mean').status).toBe('reported');
  });
});
