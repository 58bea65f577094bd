import { describe, expect, it } from '@jest/globals';
import { renderComment } from '../../src/report/comment.ts';
import { buildRegression, buildRow, buildVerdict } from '../fakes/verdict-builder.ts';
import { elementsIn, renderGfm, textIn } from './gfm.ts';
import { hostileVerdict, largeVerdict } from './hard-verdicts.ts';
import { HOSTILE_CASES, HOSTILE_TEXTS } from './hostile-texts.ts';

/** Figures hold no-break spaces; snapshots are easier to read without. */
const plain = (markdown: string): string => markdown.replaceAll('\u00a0', ' ');

const OPTIONS = {
  marker: '<!-- marker -->',
  attempts: ['no-verdict', 'fail'],
  workflowUrl: 'https://github.com/o/r/actions/runs/1',
  detailsUrl: 'https://github.com/o/r/actions/runs/1/artifacts/2',
  docsUrl: 'https://github.com/o/r/blob/main/docs/how-it-decides.md',
  modelPaths: { ranker: 'models/ranker.onnx' },
  waiveUntil: '2027-01-31',
} as const;

describe('comment', () => {
  it('tells of a regression: outcome, worst row, next step, table, how to waive', () => {
    expect(plain(renderComment(buildRegression(), OPTIONS))).toMatchInlineSnapshot(`
"<!-- marker -->

### ❌ Model Gate: 1 regression in 4 checks

**ranker · cuda · batch 32: latency p50 +8.1 %** (4.02 → 4.35 ms; at least +6.9 %, allowed 3 %)

Next: look closer with \`model-gate run --base def5678def56 --models models/ranker.onnx\`, or waive or accept it with a reason (shown below).

<sub>attempt 3; earlier: no verdict, fail</sub>

| check | base | head | change | allowed |  |
|---|--:|--:|--:|--:|:-:|
| ranker cuda b32 · latency p50 | 4.02 ms | 4.35 ms | **+8.1 %** (+6.9 … +9.3) | 3 % | ❌ |
| ranker cuda b32 · latency p95 | 4.40 ms | 4.71 ms | +7.0 % (+3.1 … +9.9) | 5 % | not yet proven |
| ranker cuda b32 · throughput | 7,960 /s | 7,370 /s | −7.4 % (−8.5 … −6.2) | – | shown |
| ranker cuda b32 · GPU memory | 1.21 GiB | 1.21 GiB | 0 % | 2 % | ✅ |

<details><summary>Why, row by row</summary>

- **ranker cuda b32 · latency p50**: proven beyond 3 % in 13 restarts
- **ranker cuda b32 · latency p95**: slower, not yet proven among 3 rows

</details>

<details><summary>Waive or accept</summary>

Waive in \`.github/model-gate.yml\`, with your reason and an end date:

\`\`\`yaml
waivers:
  - model: ranker
    metric: latency.p50
    case: ranker/cuda/b32/c1
    ceiling: 10%
    until: 2027-01-31
    reason: why this is acceptable
\`\`\`

Or accept all of head as the new baseline: \`model-gate baseline accept --reason "why this is fine"\`

</details>

<details><summary>1 more check within its margin</summary>

| check | base | head | change | allowed |  |
|---|--:|--:|--:|--:|:-:|
| ranker cuda b1 · latency p50 | 1.31 ms | 1.31 ms | +0.1 % (−0.4 … +0.8) | 3 % | ✅ |

</details>

<details><summary>How this was measured</summary>

NVIDIA L4, driver 580; both arms taking turns; 6 to 13 restarts; 2 min 41 s; could see changes of 1.2 % and more

</details>

<sub>head abc1234 · base def5678 · [run](https://github.com/o/r/actions/runs/1) · [verdict file](https://github.com/o/r/actions/runs/1/artifacts/2) · [how it decides](https://github.com/o/r/blob/main/docs/how-it-decides.md)</sub>
"
`);
  });

  it('tells of a pass in a few lines', () => {
    const verdict = buildVerdict([
      buildRow(),
      buildRow({
        metric: 'throughput',
        role: 'reported',
        status: 'reported',
        unit: '1/s',
        better: 'higher',
        base: 7960,
        head: 7970,
        change: 0.001,
        interval: [-0.01, 0.012],
        margin: null,
      }),
    ]);
    expect(plain(renderComment(verdict))).toMatchInlineSnapshot(`
"### ✅ Model Gate: 1 check within its margin

Closest to its margin: **ranker · cuda · batch 32: latency p50 +0.2 %** (4.02 → 4.03 ms; at most +0.8 %, allowed 3 %)

<details open><summary>1 check within its margin, 1 value shown only</summary>

| check | base | head | change | allowed |  |
|---|--:|--:|--:|--:|:-:|
| ranker cuda b32 · latency p50 | 4.02 ms | 4.03 ms | +0.2 % (−0.4 … +0.8) | 3 % | ✅ |
| ranker cuda b32 · throughput | 7,960 /s | 7,970 /s | +0.1 % (−1.0 … +1.2) | – | shown |

</details>

<details><summary>How this was measured</summary>

NVIDIA L4, driver 580; both arms taking turns; 6 restarts; 2 min 41 s; could see changes of 1.2 % and more

</details>

<sub>head abc1234 · base def5678</sub>
"
`);
  });

  it('tells of a gain and how to keep it (case N11)', () => {
    const row = buildRow({ status: 'improved', head: 3.22, change: -0.2, interval: [-0.21, -0.19], proven: 'better' });
    expect(plain(renderComment(buildVerdict([row])))).toMatchInlineSnapshot(`
"### ✅ Model Gate: 1 improved

**ranker · cuda · batch 32: latency p50 −20.0 %, improved** (4.02 → 3.22 ms; −19.0 % or lower, allowed 3 %)

Next: keep the gain by accepting it as the baseline: \`model-gate baseline accept --reason "why this is fine"\`

| check | base | head | change | allowed |  |
|---|--:|--:|--:|--:|:-:|
| ranker cuda b32 · latency p50 | 4.02 ms | 3.22 ms | −20.0 % (−21.0 … −19.0) | 3 % | ✅ improved |

<details><summary>How this was measured</summary>

NVIDIA L4, driver 580; both arms taking turns; 6 restarts; 2 min 41 s; could see changes of 1.2 % and more

</details>

<sub>head abc1234 · base def5678</sub>
"
`);
  });

  it('says first that the gate is not enforced, then a changed signature, then what was not measured and why', () => {
    const verdict = buildVerdict(
      [
        buildRow({
          case: 'tagger/cpu/b1/c1',
          metric: 'run',
          status: 'missing',
          base: null,
          head: null,
          change: null,
          interval: null,
          margin: null,
          detectable: null,
          restarts: 0,
          reason: 'shard 2 of 4 left no result: run it again',
        }),
        buildRow({
          metric: 'load.time',
          role: 'advisory',
          status: 'regressed',
          base: 210,
          head: 260,
          change: 0.24,
          interval: [0.2, 0.28],
          margin: 0.1,
          proven: 'worse',
          reason: 'worse by 20 % and more; advisory, it does not decide',
        }),
      ],
      {
        outcome: 'no-verdict',
        notes: [
          { code: 'signature-changed', text: 'ranker: input `ids` added (int64, batch × 26)', headline: true },
          { code: 'arms-differ', text: 'onnxruntime-node 1.29.0 → 1.30.0' },
        ],
      },
    );
    expect(plain(renderComment(verdict, { enforced: false }))).toMatchInlineSnapshot(`
"### Not enforced · ⚠️ Model Gate: no verdict, 1 of 1 check could not be decided

> ranker: input \\\`ids\\\` added (int64, batch × 26)

**tagger · cpu · batch 1 not measured**: shard 2 of 4 left no result: run it again

Next: clear the reason, then run it again.

| check | base | head | change | allowed |  |
|---|--:|--:|--:|--:|:-:|
| tagger cpu b1 · run | – | – | – | – | not measured |
| ranker cuda b32 · load time | 210 ms | 260 ms | +24.0 % (+20.0 … +28.0) | 10 % | ⚠️ |

<details><summary>Why, row by row</summary>

- **ranker cuda b32 · load time**: worse by 20 % and more; advisory, it does not decide

</details>

<details><summary>How this was measured</summary>

NVIDIA L4, driver 580; both arms taking turns; 6 restarts; 2 min 41 s

- Changed: onnxruntime-node 1.29.0 → 1.30.0

</details>

<sub>head abc1234 · base def5678</sub>
"
`);
  });

  it('is quick to read where no model changed', () => {
    const verdict = buildVerdict([], { durationS: 0, environment: { class: '', facts: {} } });
    expect(renderComment(verdict)).toMatchInlineSnapshot(`
"### ✅ Model Gate: no model changed

<sub>head abc1234 · base def5678</sub>
"
`);
  });

  it('folds in a trend where one is given', () => {
    const points = [4.02, 4.03, 4.01].map((value, at) => ({ at: `11-0${at + 1}`, value }));
    const comment = renderComment(buildRegression(), {
      trend: [{ title: 'ranker cuda b32 · latency p50', unit: 'ms', points }],
    });
    expect(comment).toContain('<details><summary>Trend</summary>\n\n```mermaid\nxychart-beta\n');
  });

  it('has six columns at most', () => {
    const table = renderGfm(renderComment(buildRegression()));
    expect(table.match(/<thead>.*?<\/thead>/s)?.[0].match(/<th/g)).toHaveLength(1 + 6);
  });
});

describe('comment of 5,000 rows (case G1)', () => {
  const comment = renderComment(largeVerdict(5000), OPTIONS);

  it('stays under the limit of GitHub', () => {
    expect(comment.length).toBeLessThan(65_000);
    expect(comment.length).toBeGreaterThan(40_000);
  });

  it('keeps the verdict and the worst rows, and says how many rows were left out and where they are', () => {
    const lines = comment.split('\n');
    expect(lines).toContain('### ❌ Model Gate: 500 regressions in 5000 checks');
    const worst = lines.filter((line) => line.endsWith('| ❌ |'));
    expect(worst[0]).toContain('model-4990');
    expect(worst.length).toBeGreaterThanOrEqual(30);
    const rows = lines.filter((line) => /^\| model-/.test(line)).length;
    const left = [...comment.matchAll(/^([\d]+) more rows left out here: see \[the job summary\]/gm)];
    const leftRows = left.reduce((sum, [, count]) => sum + Number(count), 0);
    expect(rows + leftRows).toBe(5000);
  });

  it('shortens unchanged rows first', () => {
    const { rows, ...verdict } = largeVerdict(400);
    const mixed = rows.map((row, at) => (at % 2 === 1 ? { ...row, status: 'unchanged' as const } : row));
    const shown = renderComment({ ...verdict, rows: mixed });
    expect(shown.match(/\| ✅ \|/g)).toHaveLength(160);
    expect(shown.match(/\| unchanged \|/g)?.length).toBeLessThan(200);
    expect(shown).toMatch(/more rows left out here: see the job summary/);
  });
});

describe('comment of hostile names (case G4)', () => {
  const OWN = [
    'blockquote',
    'code',
    'details',
    'h3',
    'li',
    'p',
    'pre',
    'strong',
    'sub',
    'summary',
    'table',
    'tbody',
    'td',
    'th',
    'thead',
    'tr',
    'ul',
    'a',
  ];

  it.each(HOSTILE_CASES)('holds no element of its own for %s', (_, text) => {
    const html = renderGfm(
      renderComment(hostileVerdict(text), { ...OPTIONS, marker: '', configPath: text, modelPaths: { [text]: text } }),
    );
    expect(elementsIn(html).filter((name) => !OWN.includes(name))).toEqual([]);
    expect([...html.matchAll(/<a href="([^"]*)"/g)].map((match) => match[1])).toEqual([
      OPTIONS.workflowUrl,
      OPTIONS.detailsUrl,
      OPTIONS.docsUrl,
    ]);
    const prose = textIn(
      html.replace(/<(pre|code)>.*?<\/\1>|<code [^>]*>.*?<\/code>/gs, '').replace(/<a .*?<\/a>/gs, ''),
    );
    expect(prose).not.toMatch(/@[\w-]|(?<![\w&])#\d|GH-\d|:\/\/|www\.|\p{Cc}(?<!\n)/iu);
    expect(html).not.toContain('<!--');
    expect(html.match(/<tr/g)?.length).toBe((html.match(/<t[dh][ >]/g)?.length ?? 0) / 6);
  });

  it('stays under the limit however long the names are', () => {
    const rows = HOSTILE_TEXTS.flatMap((text) => hostileVerdict(text).rows);
    const many = Array.from({ length: 10 }, () => rows).flat();
    expect(renderComment(buildVerdict(many, { outcome: 'fail' })).length).toBeLessThan(65_000);
  });
});
