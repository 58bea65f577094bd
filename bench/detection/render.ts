import { PEER_RULES } from './peer-rules.ts';
import { CHANGES, type ScenarioResult } from './results.ts';
import { quantileOfCounts, type Target, targetsOf } from './targets.ts';
import { anyOf, type Share, wilson } from './wilson.ts';

const SHORT: Readonly<Record<string, string>> = {
  ratio5: 'ratio 5 %',
  ratio10: 'ratio 10 %',
  ratio200: 'ratio 200 %',
  welch: 'Welch, pooled',
  pooled: 'MWU, pooled',
  medians: 'MWU, run medians',
  t: 't on history',
  z: 'z on history',
  criterion: 'criterion-like',
  nvbench: 'nvbench-robust-like',
};

/** All figures of the page: our rule by noise, beside other rules in short, then everything by noise, folded. */
export function renderResults(results: readonly ScenarioResult[]): string {
  return [
    '**Our rule**, pull requests of 30 rows (10 cases × p50, p95, memory), margins 3 %, 5 %, 2 %; in % of pull requests or of changed p50 rows. ✅ and ❌: target met or missed.',
    '',
    oursTable(results),
    '',
    missesText(results),
    '',
    '**Beside other rules**: false FAIL % of a no-change pull request of 30 rows → +5 % on one row found %.',
    '',
    peersTable(results),
    '',
    ...results.flatMap((result) => [
      '<details>',
      `<summary>${result.id}: ${result.text}</summary>`,
      '',
      fullTable(result),
      '',
      '</details>',
      '',
    ]),
  ].join('\n');
}

function oursTable(results: readonly ScenarioResult[]): string {
  const head = [
    'noise',
    'spread of one restart',
    'no change: FAIL',
    'PASS',
    'restarts a case, median (9 of 10)',
    'without p95 rows: PASS, restarts',
    ...CHANGES.map((change) => `+${change} %: FAIL / PASS`),
    'restarts to FAIL at +5 %',
  ];
  const rows = results.map((result) => {
    const { unchanged, changed, spread } = result;
    const marks = new Map((targetsOf(result) ?? []).map((target) => [target.id, target.isMet ? ' ✅' : ' ❌']));
    const mark = (...ids: Target['id'][]) =>
      ids.map((id) => marks.get(id) ?? '').find((text) => text === ' ❌') ?? marks.get(ids[0] ?? 'fail') ?? '';
    return [
      result.id,
      `${percent(spread.p50)} %`,
      bounded(unchanged.fail) + mark('fail'),
      bounded(unchanged.pass) + mark('pass'),
      `${quantileOfCounts(unchanged.restarts, 0.5)} (${quantileOfCounts(unchanged.restarts, 0.9)})${mark('restarts')}`,
      `${bounded(unchanged.passWithoutTail)}, ${quantileOfCounts(unchanged.restartsWithoutTail, 0.5)} (${quantileOfCounts(unchanged.restartsWithoutTail, 0.9)})`,
      ...CHANGES.map((change) => {
        const cell = changed[change];
        if (!cell) return '–';
        const asked = change === 5 ? mark('fail5', 'pass5') : change === 10 ? mark('fail10') : '';
        return `${percent(rate(cell.fail))} / ${percent(rate(cell.pass))}${asked}`;
      }),
      `${quantileOfCounts(changed[5]?.restarts ?? {}, 0.5)}`,
    ];
  });
  return table(head, rows);
}

function missesText(results: readonly ScenarioResult[]): string {
  const targets = results.flatMap((result) =>
    (targetsOf(result) ?? []).map((target) => ({ ...target, noise: result.id })),
  );
  const missed = targets.filter(({ isMet }) => !isMet);
  const met = `${targets.length - missed.length} of ${targets.length} targets are met`;
  return missed.length === 0
    ? `${met}.`
    : `${met}; missed: ${missed.map(({ noise, text }) => `${noise}: ${text}`).join('; ')}.`;
}

function peersTable(results: readonly ScenarioResult[]): string {
  const rows = results.map((result) => [
    result.id,
    arrow(rate(result.unchanged.fail), rate(result.changed[5]?.fail ?? NOTHING)),
    ...PEER_RULES.map(({ id }) => {
      const found = result.peers[id] ?? {};
      return arrow(anyOf(rate(found[0] ?? NOTHING), 30), rate(found[5] ?? NOTHING));
    }),
  ]);
  return table(['noise', 'ours', ...PEER_RULES.map(({ id }) => SHORT[id] ?? id)], rows);
}

function arrow(falseFail: number, found: number): string {
  return `${whole(falseFail)} → ${whole(found)}`;
}

/** Everything about one noise: what is asked by row, the rules by column. */
function fullTable(result: ScenarioResult): string {
  const { unchanged, changed, peers, realChanges } = result;
  const peerRow = (text: string, ours: string, cell: (found: Readonly<Record<number, Share>>) => string) => [
    text,
    ours,
    ...PEER_RULES.map(({ id }) => cell(peers[id] ?? {})),
  ];
  const falseFails = (k: number) => (found: Readonly<Record<number, Share>>) => anyBounded(found[0] ?? NOTHING, k);
  return table(
    ['%', 'ours', ...PEER_RULES.map(({ id }) => SHORT[id] ?? id)],
    [
      peerRow('false FAIL, 1 row', bounded(unchanged.failOfOne), falseFails(1)),
      peerRow('false FAIL, 10 rows', bounded(unchanged.failOfTen), falseFails(10)),
      peerRow('false FAIL, 30 rows', bounded(unchanged.fail), falseFails(30)),
      peerRow('PASS on no change, 30 rows', bounded(unchanged.pass), (found) => {
        const [low, high] = wilson(found[0] ?? NOTHING).map((p) => 1 - anyOf(p, 30));
        return span(1 - anyOf(rate(found[0] ?? NOTHING), 30), high ?? 0, low ?? 1);
      }),
      ...CHANGES.map((change) =>
        peerRow(`FAIL at +${percent(realChanges[change] ?? 0)} %`, bounded(changed[change]?.fail ?? NOTHING), (found) =>
          bounded(found[change] ?? NOTHING),
        ),
      ),
      ['process starts a row', startsOf(result), ...PEER_RULES.map(({ cost }) => cost)],
    ],
  );
}

function startsOf({ unchanged, changed }: ScenarioResult): string {
  const [pass, fail] = [quantileOfCounts(unchanged.restarts, 0.5), quantileOfCounts(changed[5]?.restarts ?? {}, 0.5)];
  return `${2 * pass} to PASS${Number.isNaN(fail) ? '' : `, ${2 * fail} to FAIL at +5 %`}, for all rows of a case`;
}

const NOTHING: Share = { hits: 0, n: 1 };

function rate({ hits, n }: Share): number {
  return hits / n;
}

function bounded(share: Share): string {
  return span(rate(share), ...wilson(share));
}

function anyBounded(share: Share, k: number): string {
  const [low, high] = wilson(share);
  return span(anyOf(rate(share), k), anyOf(low, k), anyOf(high, k));
}

function span(value: number, low: number, high: number): string {
  return `${percent(value)} (${percent(low)}–${percent(high)})`;
}

/** One decimal, two below a tenth: 0.05 is not nothing; 99.97 is not all. */
function percent(share: number): string {
  const value = 100 * share;
  const isNear = (value > 0 && value < 0.1) || (value > 99.9 && value < 100);
  return String(Number(value.toFixed(isNear ? 2 : 1)));
}

function whole(share: number): string {
  const value = 100 * share;
  return value > 0 && value < 0.5 ? '<1' : value > 99.5 && value < 100 ? '>99' : String(Math.round(value));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(head),
    `|---|${head
      .slice(1)
      .map(() => '--:')
      .join('|')}|`,
    ...rows.map(line),
  ].join('\n');
}
