import { SingleBar } from 'cli-progress';
import type { Progress } from '../gate-models.ts';
import { restartText } from '../report/progress-text.ts';

/** Writes to stdout; results only, so that `--json` can be piped. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
}

/** Writes one line to stderr: progress and errors. */
export function tell(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Progress on stderr: a bar on a terminal, else a line a restart. */
export function createProgress(): Progress & { readonly end: () => void } {
  if (!process.stderr.isTTY) return { planned: tell, restart: (event) => tell(restartText(event)), end: () => {} };
  const bar = new SingleBar({ format: '{bar} {line}', stream: process.stderr, clearOnComplete: true, barsize: 20 });
  let started = false;
  return {
    planned: tell,
    restart(event) {
      if (!started) bar.start(event.last, 0, { line: '' });
      started = true;
      bar.update(event.restart - 1, { line: restartText(event) });
    },
    end: () => bar.stop(),
  };
}
