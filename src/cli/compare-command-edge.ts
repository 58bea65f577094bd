import { judge } from '../verdict/judge.ts';
import { nameMeasuredModels, readConfig, readMeasurements } from './read-files-edge.ts';
import { type ShowOptions, showVerdict } from './show-verdict-edge.ts';

export interface CompareOptions extends ShowOptions {
  readonly base: readonly string[];
  readonly head: readonly string[];
  readonly config?: string;
}

/** `compare`: judges measurement files; returns the exit code of the outcome. */
export async function runCompareCommand(options: CompareOptions): Promise<number> {
  const base = await readMeasurements(options.base);
  const head = await readMeasurements(options.head);
  const config = nameMeasuredModels(await readConfig(options.config), head);
  const today = new Date().toISOString().slice(0, 10);
  return showVerdict(judge({ base, head, config, today }), options);
}
