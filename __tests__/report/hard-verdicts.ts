import type { Row, Verdict } from '../../src/verdict/verdict.ts';
import { buildRow, buildVerdict } from '../fakes/verdict-builder.ts';

/** A failing verdict of `count` gated rows with 60-character names; each tenth row regressed, later ones more. */
export function largeVerdict(count: number): Verdict {
  const rows = Array.from({ length: count }, (_, at): Row => {
    const model = `model-${at}`.padEnd(60, 'x');
    return at % 10 === 0
      ? buildRow({
          case: `${model}/cuda/b32/c1`,
          status: 'regressed',
          change: 0.05 + at / count,
          interval: [0.04 + at / count, 0.06 + at / count],
          reason: 'proven beyond 3 % in 13 restarts',
        })
      : buildRow({ case: `${model}/cuda/b32/c1` });
  });
  return buildVerdict(rows, { outcome: 'fail' });
}

/** A failing verdict with `text` wherever a text of foreign origin may stand. */
export function hostileVerdict(text: string): Verdict {
  const note = { code: 'x', text };
  const names = { case: `${text}/cpu/b1/c1`, reason: text, warnings: [note] };
  return buildVerdict(
    [
      buildRow({ ...names, status: 'regressed', change: 0.08 }),
      buildRow({ ...names, case: text, metric: text, unit: text, status: 'inconclusive' }),
      buildRow({ ...names, metric: 'run', status: 'missing', base: null, head: null }),
      buildRow({ ...names, case: `m/${text}/b1/c1/${text}` }),
    ],
    {
      outcome: 'fail',
      mode: text,
      base: { commit: text, session: text },
      head: { commit: text, session: text },
      environment: { class: text, facts: { 'cpu.model': text, [text]: text } },
      notes: [note, { code: text, text, headline: true }, { code: 'arms-differ', text }],
    },
  );
}
