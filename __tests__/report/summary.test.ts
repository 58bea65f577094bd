import { describe, expect, it } from '@jest/globals';
import type { Measurement } from '../../src/measure/measurement.ts';
import { restartTables } from '../../src/report/restart-table.ts';
import { renderSummary } from '../../src/report/summary.ts';
import { buildRegression, buildVerdict } from '../fakes/verdict-builder.ts';
import { elementsIn, renderGfm } from './gfm.ts';
import { hostileVerdict, largeVerdict } from './hard-verdicts.ts';
import { HOSTILE_CASES, HOSTILE_TEXTS } from './hostile-texts.ts';

const plain = (markdown: string): string => markdown.replaceAll('\u00a0', ' ');
const sizeOf = (text: string): number => new TextEncoder().encode(text).length;

function measurement(arm: 'base' | 'head', latencies: readonly number[]): Measurement {
  return {
    schema: 'model-gate/measurement@1',
    createdAt: '2026-12-01T10:00:00Z',
    tool: { name: 'model-gate', version: '0.1.0' },
    session: 's-1',
    arm,
    environment: { class: 'x', facts: {} },
    entries: [
      {
        subject: { model: 'ranker' },
        case: { id: 'ranker/cuda/b32/c1', workload: 'w' },
        metrics: {},
        restarts: latencies.map((latency, index) => ({
          index,
          valid: index !== 1,
          notes: index === 1 ? [`${arm} throttled`] : [],
          values: { 'latency.p50': latency },
        })),
      },
    ],
  };
}

describe('summary', () => {
  it('holds all rows, what could have been seen, the environment and the restarts', () => {
    const tables = restartTables(measurement('base', [4, 4, 4.02]), measurement('head', [4.4, 5]));
    expect(plain(renderSummary(buildRegression(), { restartTables: tables }))).toMatchInlineSnapshot(`
"### ❌ Model Gate: 1 regression in 4 checks

**ranker · cuda · batch 32: latency p50 +8.1 %** (4.02 → 4.35 ms; at least +6.9 %, allowed 3 %)

Next: look closer with \`model-gate run --base def5678def56\`, or waive or accept it with a reason (shown below).

| check | base | head | change | allowed | could see | restarts |  |
|---|--:|--:|--:|--:|--:|--:|:-:|
| ranker cuda b32 · latency p50 | 4.02 ms | 4.35 ms | **+8.1 %** (+6.9 … +9.3) | 3 % | 1.2 % | 13 | ❌ |
| ranker cuda b32 · latency p95 | 4.40 ms | 4.71 ms | +7.0 % (+3.1 … +9.9) | 5 % | 1.2 % | 13 | not yet proven |
| ranker cuda b32 · throughput | 7,960 /s | 7,370 /s | −7.4 % (−8.5 … −6.2) | – | 1.2 % | 13 | shown |
| ranker cuda b32 · GPU memory | 1.21 GiB | 1.21 GiB | 0 % | 2 % | 1.2 % | 13 | ✅ |

#### Why, row by row

- **ranker cuda b32 · latency p50**: proven beyond 3 % in 13 restarts
- **ranker cuda b32 · latency p95**: slower, not yet proven among 3 rows

<details><summary>Waive or accept</summary>

Waive in \`.github/model-gate.yml\`, with your reason and an end date:

\`\`\`yaml
waivers:
  - model: ranker
    metric: latency.p50
    case: ranker/cuda/b32/c1
    ceiling: 10%
    until: YYYY-MM-DD
    reason: why this is acceptable
\`\`\`

Or accept all of head as the new baseline: \`model-gate baseline accept --reason "why this is fine"\`

</details>

#### 1 more check within its margin

| check | base | head | change | allowed | could see | restarts |  |
|---|--:|--:|--:|--:|--:|--:|:-:|
| ranker cuda b1 · latency p50 | 1.31 ms | 1.31 ms | +0.1 % (−0.4 … +0.8) | 3 % | 1.2 % | 6 | ✅ |

#### How this was measured

NVIDIA L4, driver 580; both arms taking turns; 6 to 13 restarts; 2 min 41 s; could see changes of 1.2 % and more

<details><summary>Environment</summary>

| fact | value |
|---|---|
| class | 9a1b0c |
| gpu.name | NVIDIA L4 |
| driver.major | 580 |
| cpu.model | AMD EPYC |

</details>

<details><summary>Restart by restart</summary>

**ranker cuda b32 · latency p50**

| restart | base | head | change | |
|--:|--:|--:|--:|---|
| 1 | 4.00 ms | 4.40 ms | +10.0 % |  |
| 2 | 4.00 ms | 5.00 ms | +25.0 % | invalid: head throttled; base throttled |

</details>

<sub>head abc1234 · base def5678</sub>
"
`);
  });

  it('holds all of 2,000 rows', () => {
    const summary = renderSummary(largeVerdict(2000));
    expect(summary.match(/^\| model-/gm)).toHaveLength(2000);
    expect(summary).not.toContain('left out');
  });

  it('stays under 1 MiB with the verdict intact (case G2)', () => {
    const summary = renderSummary(largeVerdict(20_000));
    expect(sizeOf(summary)).toBeLessThan(2 ** 20);
    expect(sizeOf(summary)).toBeGreaterThan(700_000);
    expect(summary.startsWith('### ❌ Model Gate: 2000 regressions in 20000 checks\n')).toBe(true);
    const rows = summary.match(/^\| model-/gm)?.length ?? 0;
    const left = [...summary.matchAll(/^(\d+) more rows left out here: see the verdict file/gm)];
    expect(rows + left.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(20_000);
  });

  it('stays under 1 MiB however many restarts were measured', () => {
    const rows = Array.from({ length: 41 }, (_, at) => ({
      restart: String(at),
      base: '4.00 ms',
      head: '4.00 ms',
      change: '0 %',
      note: '',
    }));
    const tables = Array.from({ length: 3000 }, (_, at) => ({ title: `case ${at}`, rows }));
    const summary = renderSummary(buildRegression(), { restartTables: tables });
    expect(sizeOf(summary)).toBeLessThan(2 ** 20);
    expect(summary).toContain('**case 0**');
    expect(summary).not.toContain('**case 2999**');
  });

  it.each(HOSTILE_CASES)('renders nothing but text of %s', (_, text) => {
    const html = renderGfm(renderSummary(hostileVerdict(text)));
    const own = 'a blockquote code details h3 h4 li p pre strong sub summary table tbody td th thead tr ul'.split(' ');
    expect(elementsIn(html).filter((name) => !own.includes(name))).toEqual([]);
    expect(html).not.toMatch(/<a |<!--/);
  });

  it('stays under 1 MiB whatever the names are', () => {
    const rows = Array.from({ length: 10 }, () => HOSTILE_TEXTS.flatMap((text) => hostileVerdict(text).rows)).flat();
    expect(sizeOf(renderSummary(buildVerdict(rows, { outcome: 'fail' })))).toBeLessThan(2 ** 20);
  });
});
