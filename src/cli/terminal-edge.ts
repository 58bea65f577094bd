import { SingleBar } from 'cli-progress';
import type { Progress } from '../gate-models.ts';
import type { MeasureProgress } from '../measure/measurer-options.ts';
import { preparingText, restartText } from '../report/progress-text.ts';

/** Writes to stdout; results only, so that `--json` can be piped. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Writes one line to stderr: progress and errors. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Progress that also tells what the measurer prepares. */
export interface TerminalProgress extends Progress {
  readonly step: (progress: MeasureProgress) => void;
  readonly end: () => void;
}

/** Progress on stderr: a bar on a terminal, else a line a restart. */
export function createProgress(): TerminalProgress {
  return process.stderr.isTTY
    ? createBar()
    : { planned: tell, restart: (event) => tell(restartText(event)), step: tellStep, end: () => {} };
}

function tellStep({ group, step }: MeasureProgress): void {
  if (step !== 'restart') tell(preparingText(group, step));
}

function createBar(): TerminalProgress {
  const bar = new SingleBar({ format: '{bar} {line}', stream: process.stderr, clearOnComplete: true, barsize: 20 });
  bar.start(1, 0, { line: '' });
  return {
    planned: (text) => bar.update({ line: text }),
    restart(event) {
      bar.setTotal(event.next);
      bar.update(event.restart - 1, { line: restartText(event) });
    },
    step: ({ group, step }) => {
      if (step !== 'restart') bar.update({ line: preparingText(group, step) });
    },
    end: () => bar.stop(),
  };
}
