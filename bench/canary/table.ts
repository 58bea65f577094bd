import type { Kind, Trial } from './trial.ts';

/** The trials as Markdown: what was right in one line each, then every trial. `setting` says where and on what. */
export function renderTrials(trials: readonly Trial[], setting: string): string {
  const line = (kind: Kind, text: string) => {
    const own = trials.filter((trial) => trial.kind === kind);
    const changes = own.flatMap(({ change }) => (change === null ? [] : [100 * change]));
    const range = `p50 ${Math.min(...changes).toFixed(1)} … ${Math.max(...changes).toFixed(1)} %`;
    return `- ${text}: **${own.filter(({ isRight }) => isRight).length} of ${own.length}** (${range})`;
  };
  const rows = trials.map((trial, index) => {
    const change = trial.change === null ? '–' : `${(100 * trial.change).toFixed(1)} %`;
    const cells = [index + 1, trial.kind, trial.outcome, `${trial.p50} (${change})`, trial.p95, trial.memory];
    return `| ${[...cells, trial.restarts, `${trial.durationS} s`].join(' | ')} |`;
  });
  return [
    setting,
    '',
    line('planted', 'planted slow-downs of 10 % caught'),
    line('A/A', 'two staged copies of one file passed'),
    '',
    '<details>',
    '<summary>every trial</summary>',
    '',
    '| | kind | outcome | p50 | p95 | memory | restarts | time |',
    '|--:|---|---|---|---|---|--:|--:|',
    ...rows,
    '',
    '</details>',
    '',
  ].join('\n');
}
